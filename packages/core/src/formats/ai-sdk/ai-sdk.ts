import { fingerprint } from "../../message/fingerprint.ts";
import type { Message, Role } from "../../message/message.ts";
import type { Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../message/part.ts";
import { onlyText, textBlock, textParts, unknownBlock } from "../block-parts.ts";
import { buildMessage } from "../build-message.ts";
import { toDataUrl } from "../data-url.ts";
import { decodeBlocks } from "../decode-blocks.ts";
import { decodeList, decodesTo } from "../decode-list.ts";
import { defined } from "../defined.ts";
import type { Format } from "../format.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { sameOrNew } from "../same-or-new.ts";
import { scoreList } from "../score-list.ts";
import { asWireObject, describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";
import { decodeMedia } from "./decode-media.ts";
import { decodeOutput } from "./decode-result.ts";
import { encodePart, encodeReasoning } from "./encode-part.ts";

/** Vercel AI SDK model messages, and UI messages, which have `parts` where model messages have `content`. */
export const aiSdk: Format = {
  name: "ai-sdk",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: true },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeMessage, options),
  unchanged: (wire, message) => decodesTo(decodeMessage(wire as WireObject), message),
  encode: encodeMessage,
};

function decodeMessage(wire: WireObject): Message | string {
  const { role } = wire;
  if (role !== "system" && role !== "user" && role !== "assistant" && role !== "tool") {
    return role === undefined
      ? "has no role"
      : `role must be system, user, assistant or tool, not ${describeValue(role)}`;
  }
  if (Array.isArray(wire.parts)) return decodeParts(wire, role, wire.parts, "parts");
  const { content } = wire;
  if (typeof content === "string") {
    return buildMessage(role, textParts(content), wire);
  }
  if (Array.isArray(content)) return decodeParts(wire, role, content, "content");
  return content === undefined
    ? "has neither content nor parts"
    : `content must be a string or an array of parts, not ${describeValue(content)}`;
}

function decodeParts(wire: WireObject, role: Role, blocks: readonly unknown[], field: string): Message | string {
  const parts: Part[] = [];
  const decode = (block: WireObject, type: string) =>
    field === "parts" ? decodeUiPart(block, type, parts) : decodePart(block, type, role === "assistant");
  return decodeBlocks(blocks, decode, parts, field) ?? buildMessage(role, parts, wire);
}

const toolPrefix = "tool-";

/**
 * One part of a UI message. A tool part holds both the call and, once there is one, its result: it becomes two parts
 * with the same source, marked `hosted` because the result stands in the same message as its call. The call then goes
 * onto `parts` before the result is returned.
 */
function decodeUiPart(block: WireObject, type: string, parts: Part[]): Part | string {
  const toolName = type === "dynamic-tool" ? block.toolName : type.startsWith(toolPrefix) ? type.slice(5) : undefined;
  if (typeof toolName !== "string" || typeof block.toolCallId !== "string" || typeof block.state !== "string") {
    return decodePart(block, type, true);
  }
  const decoded = decodeCall({ ...block, toolName, input: block.input ?? block.rawInput });
  if (typeof decoded === "string") return decoded;
  const call = { ...decoded, hosted: true, source: block };
  const failed = block.state === "output-error" || block.state === "output-denied";
  if (!failed && block.state !== "output-available") return call;
  parts.push(call);
  const output = decodeOutput(failed ? (block.errorText ?? "Tool execution was denied.") : block.output);
  return {
    type: "tool-result",
    callId: block.toolCallId,
    name: toolName,
    content: output.content,
    ...(failed || output.isError ? { isError: true } : {}),
    hosted: true,
    source: block,
  };
}

function encodeMessage(message: Message, like?: unknown, repeats = 0): WireObject {
  const source = asWireObject(message.source);
  const { role } = message;
  if (source === undefined && isWireObject(like)) {
    // UI messages need an id of their own, the same one in every call.
    if (Array.isArray(like.parts)) {
      const id = `midfold-${fingerprint(message)}${repeats === 0 ? "" : `-${repeats}`}`;
      return { id, role, parts: encodeUiParts(message.parts) };
    }
    if (Array.isArray(like.content) && role !== "system") return { role, content: message.parts.map(encodePart) };
  }
  if (Array.isArray(source?.parts)) return sameOrNew(source, { ...source, role, parts: encodeUiParts(message.parts) });
  return sameOrNew(source, { ...source, role, content: encodeContent(message, source?.content) });
}

function encodeContent(message: Message, before: unknown): unknown {
  const { role, parts } = message;
  const wasBlocks = Array.isArray(before);
  if (parts.length === 0) return wasBlocks || role === "tool" ? [] : "";
  const text = onlyText(parts);
  // A system message has no blocks in this format.
  if (text !== undefined && (role === "system" || !wasBlocks)) return text;
  if (role !== "system" || wasBlocks) return parts.map(encodePart);
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** Writes parts as those of a UI message: a tool call and its result become one block again. */
function encodeUiParts(parts: readonly Part[]): unknown[] {
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
  const url = part.data === undefined ? (part.url ?? "") : toDataUrl(mediaType, part.data);
  return defined({ type: "file", mediaType, url, filename: part.type === "file" ? part.name : undefined });
}

function encodeTool(call: ToolCallPart, result: ToolResultPart | undefined): unknown {
  const source = asWireObject(call.source);
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

const ownBlocks: ReadonlySet<unknown> = new Set([
  "tool-call",
  "tool-result",
  "reasoning",
  "reasoning-file",
  "tool-approval-request",
  "tool-approval-response",
]);

/** 1: only this format writes it so; 0: it could be; -1: it cannot be. */
function recognise(wire: WireObject): -1 | 0 | 1 {
  const { role, content } = wire;
  if (role !== "system" && role !== "user" && role !== "assistant" && role !== "tool") return -1;
  if (typeof wire.type === "string" || Array.isArray(wire.tool_calls) || typeof wire.tool_call_id === "string")
    return -1;
  if (Array.isArray(wire.parts)) return 1;
  if (isWireObject(wire.providerOptions)) return 1;
  if (typeof content === "string") return role === "tool" ? -1 : 0;
  if (!Array.isArray(content)) return -1;
  if (role === "tool") return 1;
  for (const block of content) {
    if (!isWireObject(block)) return -1;
    if (ownBlocks.has(block.type) || isWireObject(block.providerOptions)) return 1;
    if (block.type === "image") return block.image === undefined ? -1 : 1;
    if (block.type === "file") return block.data === undefined ? -1 : 1;
    if (block.type !== "text") return -1;
  }
  return 0;
}

/** One part of a model message; `inAssistant` says whether a tool result here was produced by the provider. */
function decodePart(block: WireObject, type: string, inAssistant: boolean): Part | string {
  switch (type) {
    case "text":
      return textBlock(block);
    case "image":
      return decodeMedia(block, block.image, true);
    case "file":
    case "reasoning-file":
      return decodeMedia(block, block.data ?? block.url, false);
    case "reasoning":
    case "redacted-reasoning":
      return decodeReasoning(block);
    case "tool-call":
      return decodeCall(block);
    case "tool-result":
      return decodeResult(block, inAssistant);
    default:
      return unknownBlock(block, type);
  }
}

/** Signatures and encrypted reasoning live in provider options, each provider under its own name. */
function decodeReasoning(block: WireObject): ReasoningPart {
  let signature = stringField(block, "signature");
  let opaque = stringField(block, "data");
  const options = block.providerOptions ?? block.providerMetadata;
  if (isWireObject(options)) {
    for (const option of Object.values(options)) {
      if (!isWireObject(option)) continue;
      signature ??= stringField(option, "signature");
      opaque ??= stringField(option, "redactedData") ?? stringField(option, "reasoningEncryptedContent");
    }
  }
  return {
    type: "reasoning",
    text: stringField(block, "text") ?? "",
    ...(signature === undefined ? {} : { signature }),
    ...(opaque === undefined ? {} : { opaque }),
    source: block,
  };
}

function decodeCall(block: WireObject): ToolCallPart | string {
  if (typeof block.toolCallId !== "string") return "has no toolCallId";
  if (typeof block.toolName !== "string") return "has no toolName";
  const value = block.input ?? block.args;
  const input = typeof value === "string" ? value : value === undefined ? "{}" : toJsonText(value);
  if (input === undefined) return "has an input that is not JSON";
  return {
    type: "tool-call",
    id: block.toolCallId,
    name: block.toolName,
    input,
    ...(typeof value === "string" ? { custom: true } : {}),
    ...(block.providerExecuted === true ? { hosted: true } : {}),
    source: block,
  };
}

function decodeResult(block: WireObject, inAssistant: boolean): Part | string {
  if (typeof block.toolCallId !== "string") return "has no toolCallId";
  const output = decodeOutput(block.output ?? block.experimental_content ?? block.result);
  const name = stringField(block, "toolName");
  return {
    type: "tool-result",
    callId: block.toolCallId,
    ...(name === undefined ? {} : { name }),
    content: output.content,
    ...(output.isError || block.isError === true ? { isError: true } : {}),
    ...(inAssistant ? { hosted: true } : {}),
    source: block,
  };
}
