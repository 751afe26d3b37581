import type { Message, Role } from "../../message/message.ts";
import type {
  FilePart,
  ImagePart,
  OtherPart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from "../../message/part.ts";
import { imageUrl, onlyText, toFileData } from "../block-parts.ts";
import { decodeList, decodesTo } from "../decode-list.ts";
import { defined } from "../defined.ts";
import type { Format } from "../format.ts";
import { encodeOther, toJsonText } from "../json-text.ts";
import { sameOrNew } from "../same-or-new.ts";
import { scoreList } from "../score-list.ts";
import { asWireObject, isWireObject, type WireObject } from "../wire-object.ts";
import { decodeMessage, legacyCallsAfter } from "./decode-message.ts";
import { reasoningFields } from "./decode-reasoning.ts";

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

type Draft = Record<string, unknown>;

function encodeMessage(message: Message, like?: unknown): WireObject {
  const source = asWireObject(message.source);
  const wire = encodeAnew(message, source);
  // Where every message has blocks, whoever reads the list may know nothing else: an AI SDK prompt without tools.
  if (source === undefined && message.role !== "system" && isWireObject(like) && Array.isArray(like.content)) {
    return typeof wire.content === "string" ? { ...wire, content: [{ type: "text", text: wire.content }] } : wire;
  }
  return sameOrNew(source, wire);
}

function encodeAnew(message: Message, source: WireObject | undefined): WireObject {
  if (message.role === "tool") return encodeResult(message, source);
  const wire: Draft = { ...source, role: wireRole(message.role, source?.role) };
  if (message.name !== undefined) wire.name = message.name;
  if (message.role === "assistant") return encodeAssistant(message, wire, source);
  wire.content = message.parts.length === 0 ? (source?.content ?? "") : contentOf(message.parts, source);
  return wire;
}

/** `developer` and `function` are other spellings of `system` and `tool`; a changed message keeps its spelling. */
function wireRole(role: Role, before: unknown): string {
  if (role === "system" && before === "developer") return before;
  if (role === "tool" && before === "function") return before;
  return role;
}

function encodeAssistant(message: Message, wire: Draft, source: WireObject | undefined): WireObject {
  const reasoning: ReasoningPart[] = [];
  const content: Part[] = [];
  const calls: ToolCallPart[] = [];
  let refusal: OtherPart | undefined;
  for (const part of message.parts) {
    if (part.type === "reasoning") reasoning.push(part);
    else if (part.type === "tool-call") calls.push(part);
    else if (part.type === "other" && part.kind === "refusal" && typeof part.value === "string") refusal = part;
    else content.push(part);
  }
  if (content.length > 0) wire.content = contentOf(content, source);
  // An empty answer stays as it was spelled: null, "" or absent.
  else if (!isEmptyContent(source)) wire.content = calls.length > 0 || refusal !== undefined ? null : "";
  if (refusal !== undefined) wire.refusal = refusal.value;
  else if (typeof source?.refusal === "string") wire.refusal = null;
  encodeCalls(calls, wire, source);
  encodeReasoning(reasoning, wire, source);
  return wire;
}

function isEmptyContent(source: WireObject | undefined): boolean {
  if (source === undefined) return false;
  return source.content === "" || source.content === null || source.content === undefined;
}

function encodeCalls(calls: readonly ToolCallPart[], wire: Draft, source: WireObject | undefined): void {
  delete wire.tool_calls;
  delete wire.function_call;
  const modern: unknown[] = [];
  for (const call of calls) {
    if (call.source !== undefined && call.source === source?.function_call) wire.function_call = call.source;
    else modern.push(call.source ?? encodeCall(call));
  }
  if (modern.length > 0) wire.tool_calls = modern;
}

function encodeCall(call: ToolCallPart): unknown {
  if (call.custom === true) return { id: call.id, type: "custom", custom: { name: call.name, input: call.input } };
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.input } };
}

function encodeReasoning(parts: readonly ReasoningPart[], wire: Draft, source: WireObject | undefined): void {
  const details = source?.reasoning_details;
  const untouched = Array.isArray(details) && details.length === parts.length;
  delete wire.reasoning_details;
  if (parts.some((part) => part.source !== undefined || part.signature !== undefined || part.opaque !== undefined)) {
    wire.reasoning_details = parts.map((part) => part.source ?? encodeDetail(part));
    if (untouched) return;
  }
  const field = reasoningFields.find((name) => typeof source?.[name] === "string");
  for (const name of reasoningFields) delete wire[name];
  const text = parts.map((part) => part.text).join("");
  if (field !== undefined && text !== "") wire[field] = text;
  else if (wire.reasoning_details === undefined && text !== "") wire.reasoning_content = text;
}

function encodeDetail(part: ReasoningPart): unknown {
  if (part.opaque !== undefined) return { type: "reasoning.encrypted", data: part.opaque };
  return defined({ type: "reasoning.text", text: part.text, signature: part.signature });
}

function encodeResult(message: Message, source: WireObject | undefined): WireObject {
  const result = message.parts.find((part): part is ToolResultPart => part.type === "tool-result");
  const wire: Draft = { ...source, role: wireRole("tool", source?.role) };
  if (wire.role === "tool" && result !== undefined) wire.tool_call_id = result.callId;
  if (message.name !== undefined) wire.name = message.name;
  const content = result?.content ?? [];
  wire.content = content.length === 0 ? (isEmptyContent(source) ? source?.content : "") : contentOf(content, source);
  if (wire.content === undefined) delete wire.content;
  return wire;
}

function contentOf(parts: readonly Part[], source: WireObject | undefined): unknown {
  return encodeContent(parts, Array.isArray(source?.content));
}

/** Writes parts as chat `content`: one plain text as a string, anything else as blocks. */
function encodeContent(parts: readonly Part[], wasBlocks: boolean): string | unknown[] {
  return (wasBlocks ? undefined : onlyText(parts)) ?? parts.map(encodeBlock);
}

function encodeBlock(part: Part): unknown {
  if (part.source !== undefined) return part.source;
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image_url", image_url: encodeImage(part) };
    case "file":
      return encodeFile(part);
    case "other":
      return encodeOther(part.value);
    default:
      return { type: "text", text: toJsonText(part) ?? "" };
  }
}

function encodeImage(part: ImagePart): unknown {
  return defined({ url: imageUrl(part), detail: part.detail });
}

function encodeFile(part: FilePart): unknown {
  if (part.text !== undefined) return { type: "text", text: part.text };
  if (part.mediaType?.startsWith("audio/") && part.data !== undefined) {
    return { type: "input_audio", input_audio: { data: part.data, format: part.mediaType.slice("audio/".length) } };
  }
  const { name, fileId, data } = part;
  if (data === undefined && fileId === undefined) return { type: "text", text: part.url ?? name ?? "" };
  return { type: "file", file: defined({ filename: name, file_id: fileId, file_data: toFileData(part) }) };
}
