import type { Message } from "../../message/message.ts";
import type {
  FilePart,
  ImagePart,
  OtherPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from "../../message/part.ts";
import { fromDataUrl } from "../data-url.ts";
import { isPinned } from "../is-pinned.ts";
import { toJsonText } from "../json-text.ts";
import { describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";
import { roleOf, spell } from "./spelling.ts";

type ContentPart = TextPart | ImagePart | FilePart | OtherPart;

/** Blocks by which providers repeat in `content` what LangChain has in `tool_calls`. */
export const callBlocks: ReadonlySet<unknown> = new Set(["tool_use", "tool_call", "function_call", "input_json_delta"]);

export function decodeMessage(wire: WireObject): Message | string {
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
  const wrongCalls = role === "assistant" ? decodeCalls(fields.tool_calls, calls) : undefined;
  if (wrongCalls !== undefined) return wrongCalls;
  const wrong = decodeContent(fields.content, parts, calls);
  if (wrong !== undefined) return wrong;
  const id = stringField(fields, "id");
  const name = stringField(fields, "name");
  const common = {
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(isPinned(wire) || isPinned(fields) || isPinned(kwargsOf(fields)) ? { pinned: true } : {}),
    source: wire,
  };
  if (role !== "tool") return { role, parts: [...parts, ...calls], ...common };
  const callId = fields.tool_call_id;
  if (typeof callId !== "string") return "is a tool message without a tool_call_id";
  const content = parts.filter((part): part is ContentPart => part.type !== "reasoning");
  const result = { type: "tool-result", callId, content } as const;
  const known = {
    ...(name === undefined ? {} : { name }),
    ...(fields.status === "error" ? { isError: true } : {}),
  };
  // The name is the tool's and stands on the result: on the message too, it would be counted twice.
  const { name: _, ...rest } = common;
  return { role, parts: [{ ...result, ...known }], ...rest };
}

const badRole = (role: unknown) => `role must be system, user, assistant or tool, not ${describeValue(role)}`;

const kwargsOf = (fields: WireObject): WireObject =>
  isWireObject(fields.additional_kwargs) ? fields.additional_kwargs : {};

function decodeCalls(calls: unknown, parts: ToolCallPart[]): string | undefined {
  if (calls === undefined || calls === null) return undefined;
  if (!Array.isArray(calls)) return `tool_calls must be an array, not ${describeValue(calls)}`;
  for (let index = 0; index < calls.length; index++) {
    const call: unknown = calls[index];
    if (!isWireObject(call)) return `tool_calls[${index}] must be an object, not ${describeValue(call)}`;
    if (typeof call.id !== "string") return `tool_calls[${index}] has no id`;
    // A plain `{ role: "assistant" }` may carry them as OpenAI writes them.
    const named = isWireObject(call.function) ? call.function : call;
    if (typeof named.name !== "string") return `tool_calls[${index}] has no name`;
    const given = named.args ?? named.arguments ?? {};
    const input = typeof given === "string" ? given : toJsonText(given);
    if (input === undefined) return `tool_calls[${index}] has args that are not JSON`;
    parts.push({ type: "tool-call", id: call.id, name: named.name, input, source: call });
  }
  return undefined;
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
      const signature = stringField(block, "signature");
      return { type: "reasoning", text, ...(signature === undefined ? {} : { signature }), source: block };
    }
    case "redacted_thinking":
      return { type: "reasoning", text: "", opaque: stringField(block, "data") ?? "", source: block };
    case "file":
    case "audio":
    case "video": {
      const mediaType = stringField(block, "mimeType") ?? stringField(block, "mime_type");
      const data = stringField(block, "data");
      if (data === undefined) break;
      return { type: "file", ...(mediaType === undefined ? {} : { mediaType }), data, source: block };
    }
  }
  return { type: "other", kind: stringField(block, "type") ?? "unknown", value: block, source: block };
}

/** OpenAI's spelling, Anthropic's, and LangChain's own with `url` or `data` beside the type. */
function decodeImage(block: WireObject): ImagePart {
  const inner = isWireObject(block.image_url) ? block.image_url : isWireObject(block.source) ? block.source : block;
  const url = stringField(inner, "url") ?? stringField(block, "image_url");
  const inline = url === undefined ? undefined : fromDataUrl(url);
  if (inline !== undefined) return { type: "image", ...inline, source: block };
  const data = stringField(inner, "data");
  const mediaType =
    stringField(inner, "mimeType") ?? stringField(inner, "mime_type") ?? stringField(inner, "media_type");
  return {
    type: "image",
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(data === undefined ? {} : { data }),
    ...(url === undefined ? {} : { url }),
    source: block,
  };
}
