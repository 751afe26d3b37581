import type { Part } from "@midfold/core";
import { isJsonObject } from "../protocols/json-object.ts";
import type { ToolNames } from "../protocols/protocol.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { StreamStage } from "./stream-stage.ts";

/** Gives tool calls of an answer the names the client knows, and free-text tools their free text. */
export function restoreTools(parts: readonly Part[], names: ToolNames): Part[] {
  return parts.map((part) => {
    const tool = part.type === "tool-call" ? names.toClient.get(part.name) : undefined;
    if (part.type !== "tool-call" || tool === undefined) return part;
    if (!tool.custom || part.custom === true) return tool.name === part.name ? part : rename(part, tool.name);
    const { source: _, ...rest } = part;
    return { ...rest, name: tool.name, input: freeText(part.input), custom: true };
  });
}

function rename(part: Part & { type: "tool-call" }, name: string): Part {
  const { source: _, ...rest } = part;
  return { ...rest, name };
}

/** The same for a stream. Free text can only be read from whole JSON, so it is held back until the call is complete. */
export function createToolRestorer(names: ToolNames): StreamStage {
  const held = new Map<number, string>();
  return (event) => {
    if (event.type === "tool-call-start") {
      const tool = names.toClient.get(event.name);
      if (tool === undefined || event.hosted === true) return [event];
      if (!tool.custom || event.custom === true) return [{ ...event, name: tool.name }];
      held.set(event.index, "");
      return [{ ...event, name: tool.name, custom: true }];
    }
    if (event.type !== "tool-call-delta" && event.type !== "tool-call-end") return [event];
    const text = held.get(event.index);
    if (text === undefined) return [event];
    if (event.type === "tool-call-delta") {
      held.set(event.index, text + event.text);
      return [];
    }
    held.delete(event.index);
    return [{ type: "tool-call-delta", index: event.index, text: freeText(text) }, event];
  };
}

function freeText(json: string): string {
  const parsed = parseArguments(json);
  if (isJsonObject(parsed) && typeof parsed.input === "string") return parsed.input;
  return json;
}
