import type { Part, ToolCallPart, ToolResultPart } from "../../message/part.ts";
import { fromJsonText } from "../json-text.ts";
import { isWireObject, type WireObject } from "../wire-object.ts";
import { encodePart, encodeReasoning } from "./encode-part.ts";

/** Writes parts as those of a UI message: a tool call and its result become one block again. */
export function encodeUiParts(parts: readonly Part[]): unknown[] {
  const results = new Map<string, ToolResultPart>();
  const called = new Set<string>();
  for (const part of parts) {
    if (part.type === "tool-result") results.set(part.callId, part);
    if (part.type === "tool-call") called.add(part.id);
  }
  const blocks: unknown[] = [];
  for (const part of parts) {
    if (part.type === "tool-call") blocks.push(encodeTool(part, results.get(part.id)));
    else if (part.type === "tool-result") {
      if (!called.has(part.callId)) blocks.push(encodePart(part));
    } else blocks.push(part.source ?? encodeUiPart(part));
  }
  return blocks;
}

function encodeUiPart(part: Part): unknown {
  if (part.type === "reasoning") return encodeReasoning(part, "providerMetadata");
  if (part.type !== "image" && part.type !== "file") return encodePart(part);
  const mediaType = part.mediaType ?? (part.type === "image" ? "image/png" : "application/octet-stream");
  const url = part.data === undefined ? (part.url ?? "") : `data:${mediaType};base64,${part.data}`;
  const name = part.type === "file" && part.name !== undefined ? { filename: part.name } : {};
  return { type: "file", mediaType, url, ...name };
}

function encodeTool(call: ToolCallPart, result: ToolResultPart | undefined): unknown {
  const source = isWireObject(call.source) ? call.source : undefined;
  if (source !== undefined && (result === undefined ? !hasResult(source) : result.source === source)) return source;
  const block = source ?? {
    type: "dynamic-tool",
    toolName: call.name,
    toolCallId: call.id,
    input: call.custom === true ? call.input : fromJsonText(call.input),
  };
  if (result === undefined) return withoutResult(block);
  const text = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  return result.isError === true
    ? { ...withoutResult(block), state: "output-error", errorText: text }
    : { ...withoutResult(block), state: "output-available", output: text };
}

function hasResult(block: WireObject): boolean {
  return block.output !== undefined || block.errorText !== undefined;
}

function withoutResult(block: WireObject): WireObject {
  const { output: _, errorText: __, ...rest } = block;
  return { ...rest, state: "input-available" };
}
