import type { Message, Role } from "../../message/message.ts";
import type {
  FilePart,
  ImagePart,
  OtherPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../message/part.ts";
import { fromFileData, imageAt, textBlock, textParts, unknownBlock } from "../block-parts.ts";
import { buildMessage } from "../build-message.ts";
import { defined } from "../defined.ts";
import { toJsonText } from "../json-text.ts";
import { describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";
import { type CallItem, callItems, type OutputItem, outputItems } from "./tool-items.ts";

export function decodeItem(wire: WireObject): Message | string {
  const { type } = wire;
  if (type === undefined || type === "message") return decodeMessageItem(wire);
  if (typeof type !== "string") return `type must be a string, not ${describeValue(type)}`;
  if (type === "reasoning") return item("assistant", decodeReasoning(wire), wire);
  const call = Object.hasOwn(callItems, type) ? callItems[type] : undefined;
  if (call !== undefined) {
    const part = decodeCall(wire, call);
    return typeof part === "string" ? `item of type "${type}" ${part}` : item("assistant", part, wire);
  }
  const output = Object.hasOwn(outputItems, type) ? outputItems[type] : undefined;
  if (output !== undefined) {
    const part = decodeOutput(wire, output);
    return typeof part === "string" ? `item of type "${type}" ${part}` : item("tool", part, wire);
  }
  const message = item("assistant", unknownBlock(wire, type), wire);
  // A compaction item stands for everything before it: whatever a fold does, it has to stay.
  return type === "compaction" || type === "compaction_trigger" ? { ...message, pinned: true } : message;
}

/** Items of other types may carry a `name` that is the tool's, not the speaker's. */
function item(role: Role, part: Part, wire: WireObject): Message {
  const message = buildMessage(role, [part], wire);
  if (message.name === undefined) return message;
  const { name: _, ...unnamed } = message;
  return unnamed;
}

function decodeMessageItem(wire: WireObject): Message | string {
  const role = wire.role === "developer" ? "system" : wire.role;
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return role === undefined
      ? "has neither a type nor a role"
      : `role must be system, developer, user or assistant, not ${describeValue(role)}`;
  }
  if (wire.content === undefined) return "has no content";
  const parts = decodeContent(wire.content);
  return typeof parts === "string" ? `content ${parts}` : buildMessage(role, parts, wire);
}

function decodeReasoning(wire: WireObject): ReasoningPart {
  const opaque = stringField(wire, "encrypted_content");
  const text = joinTexts(wire.content) || joinTexts(wire.summary);
  return { type: "reasoning", text, ...(opaque === undefined ? {} : { opaque }), source: wire };
}

function joinTexts(list: unknown): string {
  if (!Array.isArray(list)) return "";
  let joined = "";
  for (const entry of list) {
    if (!isWireObject(entry) || typeof entry.text !== "string") continue;
    joined = joined === "" ? entry.text : `${joined}\n\n${entry.text}`;
  }
  return joined;
}

function decodeCall(wire: WireObject, call: CallItem): Part | string {
  const id = stringField(wire, "call_id");
  // A tool search that the provider ran itself has no call id and needs no answer.
  if (id === undefined) return wire.type === "tool_search_call" ? unknownBlock(wire) : "has no call_id";
  const name = call.tool ?? nameOf(wire);
  if (name === undefined) return "has no name";
  const value = wire[call.input];
  const input = typeof value === "string" ? value : value == null ? "" : toJsonText(value);
  if (input === undefined) return `has ${call.input} that are not JSON`;
  const part: ToolCallPart = { type: "tool-call", id, name, input, source: wire };
  return call.custom === true ? { ...part, custom: true } : part;
}

/** The tool's name as one word: a tool in a namespace is called `namespace__name`. */
export function nameOf(wire: WireObject): string | undefined {
  const name = stringField(wire, "name");
  const namespace = stringField(wire, "namespace");
  return name === undefined || namespace === undefined || namespace === "" ? name : `${namespace}__${name}`;
}

function decodeOutput(wire: WireObject, output: OutputItem): Part | string {
  // Local shell outputs name their call in `id`.
  const callId = stringField(wire, "call_id") ?? stringField(wire, "id");
  if (callId === undefined || (wire.type === "tool_search_output" && typeof wire.call_id !== "string")) {
    return wire.type === "tool_search_output" ? unknownBlock(wire) : "has no call_id";
  }
  const content = decodeOutputValue(wire[output.output], output, String(wire.type));
  if (typeof content === "string") return `has an ${output.output} that ${content}`;
  const part: ToolResultPart = { type: "tool-result", callId, content, source: wire };
  if (output.custom === true) return { ...part, custom: true };
  const failed = wire.type === "apply_patch_call_output" && wire.status === "failed";
  return failed ? { ...part, isError: true } : part;
}

function decodeOutputValue(value: unknown, output: OutputItem, type: string): ContentPart[] | string {
  if (output.shape === undefined) return decodeContent(value);
  if (value === undefined || value === null) return [];
  if (output.shape === "chunks" && Array.isArray(value)) {
    return value.map((chunk: unknown) => {
      if (!isWireObject(chunk)) return { type: "other", kind: type, value: chunk };
      const text = `${stringField(chunk, "stdout") ?? ""}${stringField(chunk, "stderr") ?? ""}`;
      return { type: "text", text, source: chunk };
    });
  }
  if (isWireObject(value)) return [decodeImage(value, type)];
  return [{ type: "other", kind: type, value, ...(Array.isArray(value) ? { source: value } : {}) }];
}

type ContentPart = TextPart | ImagePart | FilePart | OtherPart;

/** Reads the content of a message item or the output of a tool; a string says what is wrong with it. */
function decodeContent(content: unknown): ContentPart[] | string {
  if (typeof content === "string") return textParts(content);
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return `must be a string or an array of parts, not ${describeValue(content)}`;
  const parts: ContentPart[] = [];
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    if (!isWireObject(block)) return `has a part [${index}] that is ${describeValue(block)} instead of an object`;
    if (typeof block.type !== "string") return `has a part [${index}] without a type`;
    const part = decodeBlock(block, block.type);
    if (typeof part === "string") return `has a part [${index}] of type "${block.type}" without its value`;
    parts.push(part);
  }
  return parts;
}

function decodeBlock(block: WireObject, type: string): ContentPart | string {
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      return textBlock(block);
    case "input_image":
    case "computer_screenshot":
      return decodeImage(block, type);
    case "input_file":
      return decodeFile(block);
    default:
      return unknownBlock(block, type);
  }
}

function decodeImage(block: WireObject, kind: string): ImagePart | OtherPart {
  if (typeof block.image_url === "string") return imageAt({ url: block.image_url }, block.detail, block);
  if (typeof block.file_id === "string") return imageAt({ fileId: block.file_id }, block.detail, block);
  return unknownBlock(block, kind);
}

function decodeFile(block: WireObject): FilePart {
  const name = stringField(block, "filename");
  const fileId = stringField(block, "file_id");
  const url = stringField(block, "file_url");
  return defined({ type: "file", name, fileId, url, ...fromFileData(block), source: block });
}
