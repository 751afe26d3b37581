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
import { onlyText, textBlock, textParts, unknownBlock } from "../block-parts.ts";
import { buildMessage } from "../build-message.ts";
import { decodeBlocks } from "../decode-blocks.ts";
import { decodeList, decodesTo } from "../decode-list.ts";
import { defined } from "../defined.ts";
import type { Format } from "../format.ts";
import { encodeOther, fromArgumentText, toJsonText } from "../json-text.ts";
import { sameOrNew } from "../same-or-new.ts";
import { scoreList } from "../score-list.ts";
import { asWireObject, describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";

/** Anthropic Messages: the `messages` array; the system prompt travels beside it. */
export const anthropicMessages: Format = {
  name: "anthropic-messages",
  traits: { alternates: true, leadingSystem: false, laterSystem: true, groupedResults: true },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeMessage, options),
  unchanged: (wire, message) => decodesTo(decodeMessage(wire as WireObject), message),
  encode: encodeMessage,
};

function decodeMessage(wire: WireObject): Message | string {
  const { role, content } = wire;
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return role === undefined ? "has no role" : `role must be user, assistant or system, not ${describeValue(role)}`;
  }
  if (typeof content === "string") {
    return buildMessage(role, textParts(content), wire);
  }
  if (!Array.isArray(content)) {
    return content === undefined
      ? "has no content"
      : `content must be a string or an array of blocks, not ${describeValue(content)}`;
  }
  const parts: Part[] = [];
  const wrong = decodeBlocks(content, decodeBlock, parts);
  if (wrong !== undefined) return wrong;
  return buildMessage(role === "user" ? userOrTool(parts) : role, parts, wire);
}

/** Tool results travel in user messages; a message of nothing else is the tools' own. */
function userOrTool(parts: readonly Part[]): Role {
  if (parts.length === 0) return "user";
  for (const part of parts) {
    if (part.type !== "tool-result") return "user";
  }
  return "tool";
}

const resultSuffix = "_tool_result";

/** One content block as a part; a string says what is wrong with it. */
function decodeBlock(block: WireObject, type: string): Part | string {
  switch (type) {
    case "text":
      return textBlock(block);
    case "image":
      return decodeImage(block);
    case "document":
      return decodeDocument(block);
    case "thinking": {
      const part = { type: "reasoning", text: stringField(block, "thinking") ?? "", source: block } as const;
      return typeof block.signature === "string" ? { ...part, signature: block.signature } : part;
    }
    case "redacted_thinking":
      return { type: "reasoning", text: "", opaque: stringField(block, "data") ?? "", source: block };
    case "tool_use":
      return decodeToolUse(block, false);
    case "server_tool_use":
    case "mcp_tool_use":
      return decodeToolUse(block, true);
    case "tool_result":
      return decodeToolResult(block);
    default:
      return type.endsWith(resultSuffix) ? decodeHostedResult(block, type) : unknownBlock(block, type);
  }
}

function decodeToolUse(block: WireObject, hosted: boolean): ToolCallPart | string {
  if (typeof block.id !== "string") return "has no id";
  if (typeof block.name !== "string") return "has no name";
  const input = block.input === undefined || block.input === null ? "{}" : toJsonText(block.input);
  if (input === undefined) return "has an input that is not JSON";
  const part = { type: "tool-call", id: block.id, name: block.name, input, source: block } as const;
  return hosted ? { ...part, hosted } : part;
}

function decodeToolResult(block: WireObject): ToolResultPart | string {
  if (typeof block.tool_use_id !== "string") return "has no tool_use_id";
  const content = decodeResultContent(block.content);
  if (typeof content === "string") return content;
  const part = { type: "tool-result", callId: block.tool_use_id, content, source: block } as const;
  return block.is_error === true ? { ...part, isError: true } : part;
}

function decodeResultContent(content: unknown): ToolResultPart["content"] | string {
  if (typeof content === "string") return textParts(content);
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return `needs a string or an array as content, not ${describeValue(content)}`;
  const parts: ToolResultPart["content"][number][] = [];
  for (const inner of content) {
    if (!isWireObject(inner) || typeof inner.type !== "string") return "has a content block without a type";
    const part = decodeBlock(inner, inner.type);
    if (typeof part === "string") return `has a content block of type "${inner.type}" that ${part}`;
    const plain = part.type === "text" || part.type === "image" || part.type === "file";
    parts.push(plain ? part : unknownBlock(inner, inner.type));
  }
  return parts;
}

/** `web_search_tool_result` and its kin: what came of a tool that the provider ran itself. */
function decodeHostedResult(block: WireObject, type: string): Part {
  if (typeof block.tool_use_id !== "string") return unknownBlock(block, type);
  const listed = decodeResultContent(block.content);
  const content =
    typeof listed === "string" ? [{ type: "other", kind: type, value: block.content } satisfies OtherPart] : listed;
  return defined({
    type: "tool-result",
    callId: block.tool_use_id,
    name: type.slice(0, -resultSuffix.length),
    content,
    isError: block.is_error === true || undefined,
    hosted: true,
    source: block,
  });
}

function decodeImage(block: WireObject): ImagePart | OtherPart {
  const where = placeOf(block.source);
  return where === undefined || where.text !== undefined
    ? unknownBlock(block, "image")
    : { type: "image", ...where, source: block };
}

function decodeDocument(block: WireObject): FilePart | OtherPart {
  const where = placeOf(block.source);
  // A document made of content blocks has no neutral form of its own; it travels as it is.
  if (where === undefined) return unknownBlock(block, "document");
  return defined({ type: "file", name: stringField(block, "title"), ...where, source: block });
}

/** Where an image or a document is, by the `source` of its block. */
function placeOf(from: unknown): Partial<Pick<FilePart, "mediaType" | "data" | "text" | "url" | "fileId">> | undefined {
  if (!isWireObject(from)) return undefined;
  const mediaType = stringField(from, "media_type");
  if (from.type === "base64" && typeof from.data === "string") return defined({ mediaType, data: from.data });
  if (from.type === "text" && typeof from.data === "string") return defined({ mediaType, text: from.data });
  if (from.type === "url" && typeof from.url === "string") return { url: from.url };
  if (typeof from.file_id === "string") return { fileId: from.file_id };
  return undefined;
}

function encodeMessage(message: Message): WireObject {
  const source = asWireObject(message.source);
  const role = message.role === "tool" ? "user" : message.role;
  return sameOrNew(source, { ...source, role, content: encodeContent(message, source?.content) });
}

function encodeContent(message: Message, before: unknown): unknown {
  if (message.parts.length === 0) return before === "" ? before : [];
  return (Array.isArray(before) ? undefined : onlyText(message.parts)) ?? message.parts.map(encodeBlock);
}

function encodeBlock(part: Part): unknown {
  if (part.source !== undefined) return part.source;
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", source: encodeImageSource(part) };
    case "file":
      return encodeDocument(part);
    case "reasoning":
      return encodeReasoning(part);
    case "tool-call":
      return {
        type: part.hosted === true ? "server_tool_use" : "tool_use",
        id: part.id,
        name: part.name,
        // Free text has no place in `tool_use`, so a custom tool's input travels under one well-known key.
        input: part.custom === true ? { input: part.input } : fromArgumentText(part.input),
      };
    case "tool-result":
      return encodeResult(part);
    case "other":
      return encodeOther(part.value);
  }
}

function encodeImageSource(part: ImagePart): unknown {
  if (part.data !== undefined) {
    return { type: "base64", media_type: part.mediaType ?? "image/png", data: part.data };
  }
  if (part.fileId !== undefined) return { type: "file", file_id: part.fileId };
  return { type: "url", url: part.url ?? "" };
}

function encodeDocument(part: FilePart): unknown {
  return defined({ type: "document", source: encodeDocumentSource(part), title: part.name });
}

function encodeDocumentSource(part: FilePart): unknown {
  if (part.text !== undefined) return { type: "text", media_type: "text/plain", data: part.text };
  if (part.data !== undefined) {
    return { type: "base64", media_type: part.mediaType ?? "application/pdf", data: part.data };
  }
  if (part.fileId !== undefined) return { type: "file", file_id: part.fileId };
  if (part.url !== undefined) return { type: "url", url: part.url };
  return { type: "text", media_type: "text/plain", data: part.name ?? "" };
}

function encodeReasoning(part: ReasoningPart): unknown {
  if (part.opaque !== undefined && part.text === "") return { type: "redacted_thinking", data: part.opaque };
  return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
}

function encodeResult(part: ToolResultPart): unknown {
  const only = part.content[0];
  const type = part.hosted === true ? `${part.name ?? "mcp"}_tool_result` : "tool_result";
  // A hosted result whose content is one object rather than a list of blocks is named after its block.
  const isValue = only?.type === "other" && only.source === undefined && only.kind === type;
  const content = isValue ? only.value : (onlyText(part.content) ?? part.content.map(encodeBlock));
  return defined({
    type,
    tool_use_id: part.callId,
    content: part.content.length === 0 ? undefined : content,
    is_error: part.isError === true || undefined,
  });
}

const ownBlocks: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "document",
  "server_tool_use",
  "mcp_tool_use",
  "search_result",
  "container_upload",
]);

/** 1: only this format writes it so; 0: it could be; -1: it cannot be. */
function recognise(wire: WireObject): -1 | 0 | 1 {
  const { role, content } = wire;
  if (role !== "user" && role !== "assistant" && role !== "system") return -1;
  if (Array.isArray(wire.tool_calls) || Array.isArray(wire.parts)) return -1;
  // A whole response carries `type: "message"`, as a Responses item does; its blocks tell them apart.
  const isTyped = typeof wire.type === "string";
  if (!Array.isArray(content)) return typeof content === "string" && !isTyped ? 0 : -1;
  for (const block of content) {
    if (!isWireObject(block) || typeof block.type !== "string") return -1;
    if (ownBlocks.has(block.type) || block.type.endsWith("_tool_result")) return 1;
    if (block.type === "image") return isWireObject(block.source) ? 1 : -1;
    if (block.type !== "text") return -1;
  }
  return 0;
}
