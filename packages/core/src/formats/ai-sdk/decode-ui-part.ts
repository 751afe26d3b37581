import type { Part } from "../../message/part.ts";
import type { WireObject } from "../wire-object.ts";
import { decodeCall, decodePart } from "./decode-part.ts";
import { decodeOutput } from "./decode-result.ts";

const toolPrefix = "tool-";

/**
 * One part of a UI message. A tool part holds both the call and, once there is one, its result: it becomes two parts
 * with the same source, marked `hosted` because the result stands in the same message as its call.
 */
export function decodeUiPart(block: WireObject, type: string, parts: Part[]): string | undefined {
  const toolName = type === "dynamic-tool" ? block.toolName : type.startsWith(toolPrefix) ? type.slice(5) : undefined;
  if (typeof toolName !== "string" || typeof block.toolCallId !== "string" || typeof block.state !== "string") {
    const part = decodePart(block, type, true);
    if (typeof part === "string") return part;
    parts.push(part);
    return undefined;
  }
  const call = decodeCall({ ...block, toolName, input: block.input ?? block.rawInput });
  if (typeof call === "string") return call;
  parts.push({ ...call, hosted: true, source: block });
  const failed = block.state === "output-error" || block.state === "output-denied";
  if (!failed && block.state !== "output-available") return undefined;
  const output = decodeOutput(failed ? (block.errorText ?? "Tool execution was denied.") : block.output);
  parts.push({
    type: "tool-result",
    callId: block.toolCallId,
    name: toolName,
    content: output.content,
    ...(failed || output.isError ? { isError: true } : {}),
    hosted: true,
    source: block,
  });
  return undefined;
}
