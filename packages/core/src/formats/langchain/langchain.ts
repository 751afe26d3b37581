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
import { imageUrl, onlyText, unknownBlock } from "../block-parts.ts";
import { fromDataUrl } from "../data-url.ts";
import { decodeCalls } from "../decode-blocks.ts";
import { decodeList, decodesTo } from "../decode-list.ts";
import { defined } from "../defined.ts";
import type { Format } from "../format.ts";
import { isPinned } from "../is-pinned.ts";
import { encodeOther, fromArgumentText, toJsonText } from "../json-text.ts";
import { isSame } from "../same-or-new.ts";
import { scoreList } from "../score-list.ts";
import { asWireObject, describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";
import { recognise, roleOf, spell } from "./spelling.ts";

/**
 * LangChain messages: instances of `BaseMessage` and the three ways they are written down. A message that a fold makes
 * among instances is a plain `{ role, content }`, which LangChain's models take as a message; `@midfold/adapters/langchain`
 * turns those into instances too.
 */
export const langchain: Format = {
  name: "langchain",
  // ChatAnthropic and others refuse a system message that is not the first.
  traits: { alternates: false, leadingSystem: true, laterSystem: false, groupedResults: false },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeMessage, options),
  unchanged: (wire, message) => decodesTo(decodeMessage(wire as WireObject), message),
  encode: encodeMessage,
};

function encodeMessage(message: Message, like?: unknown): WireObject {
  const source = asWireObject(message.source);
  const spelled = source === undefined ? undefined : spell(source);
  if (source === undefined || spelled === undefined) return makeLike(message, like);
  const changed = changedFields(message, spelled.fields);
  return Object.keys(changed).length === 0 ? source : withFields(source, spelled.fields, changed);
}

/** The fields of a message that must differ from those it came with. */
function changedFields(message: Message, before: WireObject): WireObject {
  const content = contentOf(message, before.content);
  const changed: Record<string, unknown> = {};
  if (!isSame(content, before.content)) changed.content = content;
  const calls = callsOf(message);
  const known = Array.isArray(before.tool_calls) ? before.tool_calls : [];
  if (!isSame(calls, known)) changed.tool_calls = calls;
  return changed;
}

/** A copy of the same class and spelling. `lc_kwargs` is what LangChain writes down of an instance. */
function withFields(source: WireObject, fields: WireObject, changed: WireObject): WireObject {
  if (fields === source.kwargs) return { ...source, kwargs: { ...fields, ...changed } };
  if (fields === source.data) return { ...source, data: { ...fields, ...changed } };
  const copy: object = Object.create(Object.getPrototypeOf(source) as object | null) as object;
  const kwargs = isWireObject(source.lc_kwargs) ? { lc_kwargs: { ...source.lc_kwargs, ...changed } } : {};
  return Object.assign(copy, source, changed, kwargs) as WireObject;
}

const typeNames: Readonly<Record<Role, string>> = { user: "human", assistant: "ai", system: "system", tool: "tool" };
const classNames: Readonly<Record<Role, string>> = {
  user: "HumanMessage",
  assistant: "AIMessage",
  system: "SystemMessage",
  tool: "ToolMessage",
};

/** A new message, written down as the others of its list are. */
function makeLike(message: Message, like: unknown): WireObject {
  const { role } = message;
  const result = resultOf(message);
  const calls = callsOf(message);
  const fields = defined({
    content: contentOf(message, isWireObject(like) ? spell(like)?.fields.content : undefined),
    tool_calls: calls.length === 0 ? undefined : calls,
    tool_call_id: result?.callId,
    name: result?.name ?? message.name,
    status: result?.isError === true ? "error" : undefined,
  });
  if (!isWireObject(like) || Array.isArray(like.lc_namespace) || like.role !== undefined) return { role, ...fields };
  if (like.lc === 1) {
    return { lc: 1, type: "constructor", id: ["langchain_core", "messages", classNames[role]], kwargs: fields };
  }
  return isWireObject(like.data) ? { type: typeNames[role], data: fields } : { type: typeNames[role], ...fields };
}

const resultOf = (message: Message): ToolResultPart | undefined =>
  message.role === "tool" ? message.parts.find((part) => part.type === "tool-result") : undefined;

const callsOf = (message: Message): unknown[] =>
  message.parts.filter((part): part is ToolCallPart => part.type === "tool-call").map(encodeCall);

const encodeCall = (call: ToolCallPart): unknown =>
  call.source ?? { id: call.id, name: call.name, args: fromArgumentText(call.input), type: "tool_call" };

function contentOf(message: Message, before: unknown): unknown {
  const parts = resultOf(message)?.content ?? message.parts.filter((part) => part.type !== "tool-call");
  const wasBlocks = Array.isArray(before);
  // What providers repeat of the calls in the content stays, since the calls do.
  const repeats = wasBlocks && callsOf(message).length > 0 ? before.filter(isCallBlock) : [];
  if (parts.length === 0 && !wasBlocks) return before ?? "";
  const text = wasBlocks ? undefined : onlyText(parts);
  if (text !== undefined) return text;
  // Words a list of blocks holds as bare strings have no block of their own.
  const texts = wasBlocks && before.every((block) => typeof block === "string");
  return [...parts.map((part) => (texts && part.type === "text" ? part.text : encodeBlock(part))), ...repeats];
}

const isCallBlock = (block: unknown): boolean => isWireObject(block) && callBlocks.has(block.type);

function encodeBlock(part: Part): unknown {
  if (part.source !== undefined) return part.source;
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image_url", image_url: { url: imageUrl(part) } };
    case "reasoning":
      if (part.opaque !== undefined) return { type: "redacted_thinking", data: part.opaque };
      return defined({ type: "thinking", thinking: part.text, signature: part.signature });
    case "file":
      if (part.data === undefined) return { type: "text", text: part.text ?? part.url ?? part.name ?? "" };
      return defined({ type: "file", data: part.data, mimeType: part.mediaType });
    case "other":
      return encodeOther(part.value);
    default:
      return { type: "text", text: toJsonText(part) ?? "" };
  }
}

type ContentPart = TextPart | ImagePart | FilePart | OtherPart;

/** Blocks by which providers repeat in `content` what LangChain has in `tool_calls`. */
const callBlocks: ReadonlySet<unknown> = new Set(["tool_use", "tool_call", "function_call", "input_json_delta"]);

function decodeMessage(wire: WireObject): Message | string {
  const spelled = spell(wire);
  if (spelled === undefined) return wire.role === undefined ? "has neither a role nor a type" : badRole(wire.role);
  const { fields, type } = spelled;
  const role = roleOf(spelled);
  if (role === undefined) {
    if (type === "remove") return "is a RemoveMessage: let LangGraph's reducer apply it before folding";
    if (type === "function") return "is a function message: answer tool calls with a ToolMessage instead";
    return badRole(type === "generic" ? fields.role : type);
  }
  const parts: Part[] = [];
  const calls: ToolCallPart[] = [];
  const wrongCalls = role === "assistant" ? decodeCalls(fields.tool_calls, decodeCall, calls) : undefined;
  if (wrongCalls !== undefined) return wrongCalls;
  const wrong = decodeContent(fields.content, parts, calls);
  if (wrong !== undefined) return wrong;
  const id = stringField(fields, "id");
  const name = stringField(fields, "name");
  const common = {
    ...(id === undefined ? {} : { id }),
    ...(isPinned(wire) || isPinned(fields) || isPinned(kwargsOf(fields)) ? { pinned: true } : {}),
    source: wire,
  };
  const named = name === undefined ? {} : { name };
  if (role !== "tool") return { role, parts: [...parts, ...calls], ...named, ...common };
  const callId = fields.tool_call_id;
  if (typeof callId !== "string") return "is a tool message without a tool_call_id";
  const content = parts.filter((part): part is ContentPart => part.type !== "reasoning");
  const failed = fields.status === "error" ? { isError: true } : {};
  // The name is the tool's and stands on the result: on the message too, it would be counted twice.
  return { role, parts: [{ type: "tool-result", callId, content, ...named, ...failed }], ...common };
}

const badRole = (role: unknown) => `role must be system, user, assistant or tool, not ${describeValue(role)}`;

const kwargsOf = (fields: WireObject): WireObject =>
  isWireObject(fields.additional_kwargs) ? fields.additional_kwargs : {};

function decodeCall(call: WireObject, id: string): ToolCallPart | string {
  // A plain `{ role: "assistant" }` may carry them as OpenAI writes them.
  const named = isWireObject(call.function) ? call.function : call;
  if (typeof named.name !== "string") return "has no name";
  const given = named.args ?? named.arguments ?? {};
  const input = typeof given === "string" ? given : toJsonText(given);
  if (input === undefined) return "has args that are not JSON";
  return { type: "tool-call", id, name: named.name, input, source: call };
}

function decodeContent(content: unknown, parts: Part[], calls: readonly ToolCallPart[]): string | undefined {
  if (typeof content === "string") {
    if (content !== "") parts.push({ type: "text", text: content });
    return undefined;
  }
  if (content === null || content === undefined) return undefined;
  if (!Array.isArray(content)) return `content must be a string or an array of blocks, not ${describeValue(content)}`;
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    if (typeof block === "string") parts.push({ type: "text", text: block });
    else if (!isWireObject(block)) return `content[${index}] must be an object, not ${describeValue(block)}`;
    else if (!(calls.length > 0 && callBlocks.has(block.type))) parts.push(decodeBlock(block));
  }
  return undefined;
}

function decodeBlock(block: WireObject): ContentPart | ReasoningPart {
  switch (block.type) {
    case "text":
    case "text-plain":
      if (typeof block.text === "string") return { type: "text", text: block.text, source: block };
      break;
    case "image_url":
    case "image":
      return decodeImage(block);
    case "reasoning":
    case "thinking": {
      const text = stringField(block, "reasoning") ?? stringField(block, "thinking") ?? "";
      return defined({ type: "reasoning", text, signature: stringField(block, "signature"), source: block });
    }
    case "redacted_thinking":
      return { type: "reasoning", text: "", opaque: stringField(block, "data") ?? "", source: block };
    case "file":
    case "audio":
    case "video": {
      const mediaType = stringField(block, "mimeType") ?? stringField(block, "mime_type");
      const data = stringField(block, "data");
      if (data === undefined) break;
      return defined({ type: "file", mediaType, data, source: block });
    }
  }
  return unknownBlock(block);
}

/** OpenAI's spelling, Anthropic's, and LangChain's own with `url` or `data` beside the type. */
function decodeImage(block: WireObject): ImagePart {
  const inner = isWireObject(block.image_url) ? block.image_url : isWireObject(block.source) ? block.source : block;
  const url = stringField(inner, "url") ?? stringField(block, "image_url");
  const inline = url === undefined ? undefined : fromDataUrl(url);
  if (inline !== undefined) return { type: "image", ...inline, source: block };
  const mediaType =
    stringField(inner, "mimeType") ?? stringField(inner, "mime_type") ?? stringField(inner, "media_type");
  return defined({ type: "image", mediaType, data: stringField(inner, "data"), url, source: block });
}
