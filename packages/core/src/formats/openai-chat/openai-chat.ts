import type { Message } from "../../message/message.ts";
import type { ToolCallPart, ToolResultPart } from "../../message/part.ts";
import { decodeList, decodesTo } from "../decode-list.ts";
import type { Format } from "../format.ts";
import { scoreList } from "../score-list.ts";
import { isWireObject, type WireObject } from "../wire-object.ts";
import { decodeMessage, legacyCallsAfter } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";

/** OpenAI Chat Completions messages, and what OpenAI-compatible servers add to them. */
export const openaiChat: Format = {
  name: "openai-chat",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => {
    const legacy = legacyCallsAfter(options?.after ?? []);
    return decodeList(wire, (message) => decodeMessage(message, legacy), options);
  },
  unchanged: (wire, message) =>
    looksSame(wire as WireObject, message) || decodesTo(decodeMessage(wire as WireObject, { calls: 0 }), message),
  encode: encodeMessage,
};

/**
 * A quick look at whether a wire message still says what its last decoding says: enough for plain text, tool calls and
 * results, which is nearly everything in a long conversation. False means that somebody has to look closer. Each role
 * reads its fields in its own place: messages of one role are of one shape, and there the engine finds fields at once.
 */
function looksSame(wire: WireObject, message: Message): boolean {
  if (message.name !== undefined || message.id !== undefined || message.pinned !== undefined) return false;
  switch (wire.role) {
    case "user":
    case "system":
      return message.role === wire.role && sameWords(wire, message);
    case "assistant":
      return message.role === "assistant" && sameAssistant(wire, message);
    case "tool":
      return message.role === "tool" && sameResult(wire, message);
    default:
      return false;
  }
}

function sameWords(wire: WireObject, { parts }: Message): boolean {
  if ((wire.name ?? wire.id ?? wire.pinned ?? wire.midfold ?? undefined) !== undefined) return false;
  return saysText(wire.content, parts) === parts.length;
}

function sameAssistant(wire: WireObject, { parts }: Message): boolean {
  if ((wire.name ?? wire.id ?? wire.pinned ?? wire.midfold ?? undefined) !== undefined) return false;
  if ((wire.reasoning_details ?? wire.reasoning_content ?? wire.reasoning ?? undefined) !== undefined) return false;
  if ((wire.function_call ?? wire.refusal ?? undefined) !== undefined) return false;
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
  if ((wire.name ?? wire.id ?? wire.pinned ?? wire.midfold ?? undefined) !== undefined) return false;
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

const ownBlocks: ReadonlySet<unknown> = new Set(["image_url", "input_audio", "refusal"]);
const roles: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** 1: only this format writes it so; 0: it could be; -1: it cannot be. */
function recognise(wire: WireObject): -1 | 0 | 1 {
  if (!roles.has(wire.role)) return -1;
  if (wire.role === "tool") return typeof wire.tool_call_id === "string" ? 1 : -1;
  if (wire.role === "function" || Array.isArray(wire.tool_calls) || isWireObject(wire.function_call)) return 1;
  // Responses items carry a type, AI SDK UI messages carry parts.
  if (typeof wire.type === "string" || Array.isArray(wire.parts)) return -1;
  const { content } = wire;
  if (!Array.isArray(content)) return typeof content === "string" || content == null ? 0 : -1;
  for (const block of content) {
    if (!isWireObject(block)) return -1;
    if (ownBlocks.has(block.type) || (block.type === "file" && isWireObject(block.file))) return 1;
    if (block.type !== "text") return -1;
  }
  return 0;
}
