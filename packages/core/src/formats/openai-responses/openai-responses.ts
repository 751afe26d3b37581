import type { Message } from "../../message/message.ts";
import type { FilePart, ImagePart, Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../message/part.ts";
import { imageUrl, onlyText, toFileData } from "../block-parts.ts";
import { decodeList, decodesTo } from "../decode-list.ts";
import { defined } from "../defined.ts";
import type { Format } from "../format.ts";
import { encodeOther, toJsonText } from "../json-text.ts";
import { sameOrNew } from "../same-or-new.ts";
import { scoreList } from "../score-list.ts";
import { asWireObject, isWireObject, type WireObject } from "../wire-object.ts";
import { decodeItem, nameOf } from "./decode-item.ts";
import { callItems, outputItems } from "./tool-items.ts";

/** OpenAI Responses input items: one item is one message, so one turn of the assistant is often several. */
export const openaiResponses: Format = {
  name: "openai-responses",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeItem, options),
  unchanged: (wire, message) => decodesTo(decodeItem(wire as WireObject), message),
  encode: encodeItem,
};

const ownBlocks: ReadonlySet<unknown> = new Set(["input_text", "output_text", "input_image", "input_file"]);

/** What LangChain calls its messages: taken for items of an unknown kind, they would lose what they say. */
const otherTypes: ReadonlySet<unknown> = new Set([
  "human",
  "ai",
  "system",
  "tool",
  "generic",
  "function",
  "remove",
  "constructor",
  "AIMessageChunk",
  "HumanMessageChunk",
]);

/** 1: only this format writes it so; 0: it could be; -1: it cannot be. */
function recognise(wire: WireObject): -1 | 0 | 1 {
  if (wire.role === undefined) return typeof wire.type === "string" && !otherTypes.has(wire.type) ? 1 : -1;
  if (wire.role !== "user" && wire.role !== "assistant" && wire.role !== "system" && wire.role !== "developer")
    return -1;
  if (Array.isArray(wire.tool_calls) || Array.isArray(wire.parts)) return -1;
  const isTyped = wire.type === "message";
  const { content } = wire;
  if (typeof content === "string") return isTyped ? 1 : 0;
  if (!Array.isArray(content)) return -1;
  for (const block of content) {
    if (!isWireObject(block)) return -1;
    if (ownBlocks.has(block.type)) return 1;
    // Refusals are spelled alike here and in chat; other blocks belong to other formats.
    if (block.type !== "refusal") return -1;
  }
  return isTyped ? 1 : 0;
}

/** Writes a message as one item: a call, an output, reasoning, or else a message. */
function encodeItem(message: Message): WireObject {
  const source = asWireObject(message.source);
  const only = message.parts[0];
  if (message.parts.length === 1 && only !== undefined) {
    // The part still is the whole item.
    if (isWireObject(only.source) && only.source === source) return source;
    const item = encodeOnly(only, source);
    if (item !== undefined) return sameOrNew(source, item);
  }
  return sameOrNew(source, encodeMessageItem(message, source));
}

function encodeOnly(part: Part, source: WireObject | undefined): WireObject | undefined {
  switch (part.type) {
    case "tool-call":
      return encodeCall(part, source);
    case "tool-result":
      return encodeOutput(part, source);
    case "reasoning":
      return encodeReasoning(part, source);
    case "other":
      // An item nobody here knows; content blocks of that kind belong inside a message.
      return source === undefined && isWireObject(part.value) && !isContentKind(part.kind) ? part.value : undefined;
    default:
      return undefined;
  }
}

function isContentKind(kind: string): boolean {
  return kind === "refusal" || kind.startsWith("input_") || kind.startsWith("output_");
}

function encodeMessageItem(message: Message, source: WireObject | undefined): WireObject {
  const role =
    message.role === "tool"
      ? "user"
      : message.role === "system" && source?.role === "developer"
        ? "developer"
        : message.role;
  const content = encodeContent(message.parts, role === "assistant" ? "output_text" : "input_text", source?.content);
  return source === undefined ? { type: "message", role, content } : { ...source, role, content };
}

function encodeCall(part: ToolCallPart, source: WireObject | undefined): WireObject {
  const type = part.custom === true ? "custom_tool_call" : "function_call";
  const known = source !== undefined && Object.hasOwn(callItems, String(source.type)) ? source : undefined;
  const kind = callItems[known === undefined ? type : String(known.type)];
  const item: Record<string, unknown> = { ...(known ?? { type }), call_id: part.id };
  if (kind?.tool === undefined && (known === undefined || nameOf(known) !== part.name)) item.name = part.name;
  const before = known?.[kind?.input ?? "arguments"];
  // Items whose input is an object keep it: it is only ever replaced by a call of another kind.
  if (before === undefined || typeof before === "string") item[kind?.input ?? "arguments"] = part.input;
  return item;
}

function encodeOutput(part: ToolResultPart, source: WireObject | undefined): WireObject {
  const type = part.custom === true ? "custom_tool_call_output" : "function_call_output";
  const known = source !== undefined && Object.hasOwn(outputItems, String(source.type)) ? source : undefined;
  const kind = outputItems[known === undefined ? type : String(known.type)];
  const item: Record<string, unknown> = { ...(known ?? { type, call_id: part.callId }) };
  if (kind === undefined) return item;
  if (kind.shape === "chunks") {
    item[kind.output] = part.content.map((chunk) => chunk.source ?? encodeChunk(chunk));
  } else if (kind.shape === "value") {
    const only = part.content[0];
    // Only an image or the original value fits here; words have no place in such an item.
    if (only?.source !== undefined) item[kind.output] = only.source;
    else if (only?.type === "image") item[kind.output] = { ...imageOf(only), type: "computer_screenshot" };
  } else {
    item[kind.output] = encodeContent(part.content, "input_text", known?.[kind.output]);
  }
  return item;
}

function imageOf(part: Part): WireObject {
  const block = encodeBlock(part, "input_text");
  return isWireObject(block) ? block : {};
}

function encodeChunk(part: Part): unknown {
  const stdout = part.type === "text" ? part.text : "";
  return { stdout, stderr: "", outcome: { type: "exit", exit_code: 0 } };
}

function encodeReasoning(part: ReasoningPart, source: WireObject | undefined): WireObject {
  const { content: _, encrypted_content: __, ...kept } = source?.type === "reasoning" ? source : { content: undefined };
  const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
  return { ...kept, type: "reasoning", summary, ...defined({ encrypted_content: part.opaque }) };
}

type TextType = "input_text" | "output_text";

/** Writes parts as item content: one plain text as a string unless it was blocks before. */
function encodeContent(parts: readonly Part[], textType: TextType, before: unknown): unknown {
  const wasBlocks = Array.isArray(before);
  if (parts.length === 0) return wasBlocks ? [] : "";
  return (wasBlocks ? undefined : onlyText(parts)) ?? parts.map((part) => encodeBlock(part, textType));
}

function encodeBlock(part: Part, textType: TextType): unknown {
  if (part.source !== undefined) return part.source;
  switch (part.type) {
    case "text":
      return encodeText(part.text, textType);
    case "image":
      return encodeImage(part);
    case "file":
      return encodeFile(part);
    case "other":
      return encodeOther(part.value, (text) => encodeText(text, textType));
    default:
      return encodeText(toJsonText(part) ?? "", textType);
  }
}

function encodeText(text: string, type: TextType): unknown {
  return type === "output_text" ? { type, text, annotations: [] } : { type, text };
}

function encodeImage(part: ImagePart): unknown {
  const detail = part.detail ?? "auto";
  if (part.data === undefined && part.url === undefined && part.fileId !== undefined) {
    return { type: "input_image", detail, file_id: part.fileId };
  }
  return { type: "input_image", detail, image_url: imageUrl(part) };
}

function encodeFile(part: FilePart): unknown {
  if (part.text !== undefined) return { type: "input_text", text: part.text };
  const { name, fileId, url, data } = part;
  if (fileId === undefined && url === undefined && data === undefined) return { type: "input_text", text: name ?? "" };
  return defined({
    type: "input_file",
    filename: name,
    file_id: fileId,
    file_url: url,
    file_data: toFileData(part),
  });
}
