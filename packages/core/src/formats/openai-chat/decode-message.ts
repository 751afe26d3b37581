import type { Message } from "../../message/message.ts";
import type {
  FilePart,
  ImagePart,
  OtherPart,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../message/part.ts";
import { buildMessage } from "../build-message.ts";
import { fromDataUrl } from "../data-url.ts";
import { decodeBlocks, type PartSink } from "../decode-blocks.ts";
import { imageDetail } from "../image-detail.ts";
import { toJsonText } from "../json-text.ts";
import { describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";
import { decodeReasoning } from "./decode-reasoning.ts";

/** How many calls without an id have been seen: the n-th `function` message answers the n-th `function_call`. */
export interface LegacyCalls {
  calls: number;
}

/** Goes on counting behind these messages; they are looked through only if such a call ever comes. */
export function legacyCallsAfter(messages: readonly Message[]): LegacyCalls {
  return messages.length === 0 ? { calls: 0 } : new CallsAfter(messages);
}

class CallsAfter implements LegacyCalls {
  readonly #messages: readonly Message[];
  #calls: number | undefined;

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
  }

  get calls(): number {
    this.#calls ??= this.#messages.filter(
      ({ source }) => ((source as WireObject).function_call ?? null) !== null,
    ).length;
    return this.#calls;
  }

  set calls(count: number) {
    this.#calls = count;
  }
}

export function decodeMessage(wire: WireObject, legacy: LegacyCalls): Message | string {
  switch (wire.role) {
    case "user":
    case "system":
    case "developer":
      return decodePlain(wire, wire.role === "user" ? "user" : "system");
    case "assistant":
      return decodeAssistant(wire, legacy);
    case "tool":
      if (typeof wire.tool_call_id !== "string") return 'a message with role "tool" needs a tool_call_id';
      return decodeResult(wire, wire.tool_call_id);
    case "function":
      return decodeResult(wire, legacyId(legacy.calls));
    case undefined:
      return "has no role";
    default:
      return `role must be system, developer, user, assistant, tool or function, not ${describeValue(wire.role)}`;
  }
}

function decodePlain(wire: WireObject, role: "user" | "system"): Message | string {
  if (wire.content === undefined) return "has no content";
  const parts: Part[] = [];
  return decodeContent(wire.content, parts) ?? buildMessage(role, parts, wire);
}

function decodeAssistant(wire: WireObject, legacy: LegacyCalls): Message | string {
  const parts: Part[] = [];
  decodeReasoning(wire, parts);
  const wrong = decodeContent(wire.content, parts);
  if (wrong !== undefined) return wrong;
  if (typeof wire.refusal === "string") {
    parts.push({ type: "other", kind: "refusal", value: wire.refusal } satisfies OtherPart);
  }
  const wrongCalls = decodeToolCalls(wire.tool_calls, parts);
  if (wrongCalls !== undefined) return wrongCalls;
  if (wire.function_call !== undefined && wire.function_call !== null) {
    const call = decodeFunctionCall(wire.function_call, legacyId(legacy.calls + 1));
    if (call === undefined) return "function_call has no name";
    legacy.calls++;
    parts.push(call);
  }
  return buildMessage("assistant", parts, wire);
}

function decodeResult(wire: WireObject, callId: string): Message | string {
  const content: ContentPart[] = [];
  const wrong = decodeContent(wire.content, content);
  if (wrong !== undefined) return wrong;
  const result: ToolResultPart = { type: "tool-result", callId, content };
  if (typeof wire.name === "string") return buildMessage("tool", [{ ...result, name: wire.name }], wire);
  return buildMessage("tool", [result], wire);
}

function legacyId(count: number): string {
  return `function_call_${count}`;
}

type ContentPart = TextPart | ImagePart | FilePart | OtherPart;

/** Reads `content` of a chat message onto the end of `parts`; a string says what is wrong with it. */
function decodeContent(content: unknown, parts: PartSink<ContentPart>): string | undefined {
  if (typeof content === "string") {
    if (content !== "") parts.push({ type: "text", text: content });
    return undefined;
  }
  if (content === null || content === undefined) return undefined;
  if (!Array.isArray(content)) return `content must be a string or an array of parts, not ${describeValue(content)}`;
  return decodeBlocks(content, decodeBlock, parts);
}

function decodeBlock(block: WireObject, type: string): ContentPart | string {
  switch (type) {
    case "text":
      return typeof block.text === "string" ? { type: "text", text: block.text, source: block } : "has no text";
    case "image_url":
      return decodeImage(block);
    case "file":
      return decodeFile(block);
    case "input_audio":
      return decodeAudio(block);
    default:
      return { type: "other", kind: type, value: block, source: block };
  }
}

function decodeImage(block: WireObject): ImagePart | string {
  const image = isWireObject(block.image_url) ? block.image_url : { url: block.image_url };
  if (typeof image.url !== "string") return "has no image_url.url";
  const known = imageDetail(image.detail);
  const inline = fromDataUrl(image.url);
  if (inline === undefined) return { type: "image", url: image.url, ...known, source: block };
  return { type: "image", mediaType: inline.mediaType, data: inline.data, ...known, source: block };
}

function decodeFile(block: WireObject): FilePart | OtherPart {
  const file = block.file;
  if (!isWireObject(file)) return { type: "other", kind: "file", value: block, source: block };
  const name = stringField(file, "filename");
  const fileId = stringField(file, "file_id");
  const data = stringField(file, "file_data");
  const inline = data === undefined ? undefined : fromDataUrl(data);
  return {
    type: "file",
    ...(name === undefined ? {} : { name }),
    ...(fileId === undefined ? {} : { fileId }),
    ...(inline ?? (data === undefined ? {} : { data })),
    source: block,
  };
}

function decodeAudio(block: WireObject): FilePart | OtherPart {
  const audio = block.input_audio;
  if (!isWireObject(audio) || typeof audio.data !== "string" || typeof audio.format !== "string") {
    return { type: "other", kind: "input_audio", value: block, source: block };
  }
  return { type: "file", mediaType: `audio/${audio.format}`, data: audio.data, source: block };
}

/** Reads `tool_calls` of an assistant message onto the end of `parts`; a string says what is wrong with them. */
function decodeToolCalls(calls: unknown, parts: PartSink<ToolCallPart>): string | undefined {
  if (calls === undefined || calls === null) return undefined;
  if (!Array.isArray(calls)) return `tool_calls must be an array, not ${describeValue(calls)}`;
  for (let index = 0; index < calls.length; index++) {
    const call: unknown = calls[index];
    if (!isWireObject(call)) return `tool_calls[${index}] must be an object, not ${describeValue(call)}`;
    if (typeof call.id !== "string") return `tool_calls[${index}] has no id`;
    const part = isWireObject(call.custom)
      ? decodeCall(call, call.id, call.custom, call.custom.input, true)
      : decodeCall(call, call.id, call.function, isWireObject(call.function) ? call.function.arguments : "", false);
    if (part === undefined) return `tool_calls[${index}] has no function name`;
    parts.push(part);
  }
  return undefined;
}

/** The `function_call` of the API before tools. It carries no id, so the caller supplies one. */
function decodeFunctionCall(call: unknown, id: string): ToolCallPart | undefined {
  return isWireObject(call) ? decodeCall(call, id, call, call.arguments, false) : undefined;
}

function decodeCall(
  source: WireObject,
  id: string,
  named: unknown,
  input: unknown,
  custom: boolean,
): ToolCallPart | undefined {
  if (!isWireObject(named) || typeof named.name !== "string") return undefined;
  // Some servers send the arguments as an object instead of as text.
  const text = typeof input === "string" ? input : input == null ? "" : (toJsonText(input) ?? "");
  const part = { type: "tool-call", id, name: named.name, input: text, source } as const;
  return custom ? { ...part, custom } : part;
}
