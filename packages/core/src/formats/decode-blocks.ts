import type { ToolCallPart } from "../message/part.ts";
import { describeValue, isWireObject, type WireObject } from "./wire-object.ts";

/** Where decoders put the parts they read: any list that can hold them. Saves an array per field of a message. */
export interface PartSink<TPart> {
  push(part: TPart): unknown;
}

/**
 * Reads the blocks of a field of a message onto the end of `parts`. A string says what is wrong, with the place of the block:
 * `decodeBlock` gives its own as the end of that sentence ("has no text").
 */
export function decodeBlocks<TPart>(
  content: readonly unknown[],
  decodeBlock: (block: WireObject, type: string) => TPart | string,
  parts: PartSink<TPart>,
  field = "content",
): string | undefined {
  for (let index = 0; index < content.length; index++) {
    const block = content[index];
    if (!isWireObject(block)) return `${field}[${index}] must be an object, not ${describeValue(block)}`;
    if (typeof block.type !== "string") return `${field}[${index}] has no type`;
    const part = decodeBlock(block, block.type);
    if (typeof part === "string") return `${field}[${index}] of type "${block.type}" ${part}`;
    parts.push(part);
  }
  return undefined;
}

/** The same for `tool_calls`, which may be absent, and of which each needs an id. */
export function decodeCalls(
  calls: unknown,
  decodeCall: (call: WireObject, id: string) => ToolCallPart | string,
  parts: PartSink<ToolCallPart>,
): string | undefined {
  if (calls === undefined || calls === null) return undefined;
  if (!Array.isArray(calls)) return `tool_calls must be an array, not ${describeValue(calls)}`;
  for (let index = 0; index < calls.length; index++) {
    const call: unknown = calls[index];
    if (!isWireObject(call)) return `tool_calls[${index}] must be an object, not ${describeValue(call)}`;
    const part = typeof call.id === "string" ? decodeCall(call, call.id) : "has no id";
    if (typeof part === "string") return `tool_calls[${index}] ${part}`;
    parts.push(part);
  }
  return undefined;
}
