import type { Message } from "../../message/message.ts";
import type { ToolCallPart, ToolResultPart } from "../../message/part.ts";
import { isWireObject, type WireObject } from "../wire-object.ts";

/**
 * A quick look at whether a wire message still says what its last decoding says: enough for plain text, tool calls and
 * results, which is nearly everything in a long conversation. False means that somebody has to look closer.
 */
export function looksSame(wire: WireObject, message: Message): boolean {
  if (wire.name !== undefined || wire.id !== undefined || wire.pinned !== undefined || wire.midfold !== undefined) {
    return false;
  }
  if (message.name !== undefined || message.id !== undefined || message.pinned !== undefined) return false;
  switch (wire.role) {
    case "user":
    case "system":
      return message.role === wire.role && saysText(wire.content, message.parts) === message.parts.length;
    case "assistant":
      return message.role === "assistant" && sameAssistant(wire, message);
    case "tool":
      return message.role === "tool" && sameResult(wire, message);
    default:
      return false;
  }
}

function sameAssistant(wire: WireObject, { parts }: Message): boolean {
  if (wire.reasoning_details !== undefined || wire.reasoning_content !== undefined || wire.reasoning !== undefined) {
    return false;
  }
  if (wire.function_call !== undefined || typeof wire.refusal === "string") return false;
  let at = saysText(wire.content, parts);
  if (at < 0) return false;
  const calls = wire.tool_calls;
  if (Array.isArray(calls)) {
    if (parts.length - at !== calls.length) return false;
    for (const call of calls) if (!sameCall(call, parts[at++] as ToolCallPart)) return false;
  } else if (calls !== undefined && calls !== null) return false;
  return at === parts.length;
}

function sameCall(call: unknown, part: ToolCallPart): boolean {
  if (part.source !== call || part.custom === true || !isWireObject(call) || call.id !== part.id) return false;
  const named = call.function;
  return call.custom === undefined && isWireObject(named) && named.name === part.name && named.arguments === part.input;
}

function sameResult(wire: WireObject, { parts }: Message): boolean {
  const result = parts[0] as ToolResultPart;
  if (result.callId !== wire.tool_call_id || result.name !== undefined) return false;
  return saysText(wire.content, result.content) === result.content.length;
}

/** How many parts a content that is plain text or nothing stands for, or -1 when it is another one, or another kind. */
function saysText(content: unknown, parts: readonly { readonly type: string; readonly text?: string }[]): number {
  if (content === null || content === undefined || content === "") return 0;
  if (typeof content !== "string") return -1;
  const part = parts[0];
  return part !== undefined && part.type === "text" && part.text === content ? 1 : -1;
}
