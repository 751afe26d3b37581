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
import { fromFileData, imageAt, textBlock, unknownBlock } from "../block-parts.ts";
import { buildMessage } from "../build-message.ts";
import { decodeBlocks, decodeCalls, type PartSink } from "../decode-blocks.ts";
import { defined } from "../defined.ts";
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
  return buildMessage("tool", [typeof wire.name === "string" ? { ...result, name: wire.name } : result], wire);
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
      return textBlock(block);
    case "image_url":
      return decodeImage(block);
    case "file":
      return decodeFile(block);
    case "input_audio":
      return decodeAudio(block);
    default:
      return unknownBlock(block, type);
  }
}

function decodeImage(block: WireObject): ImagePart | string {
  const image = isWireObject(block.image_url) ? block.image_url : { url: block.image_url };
  if (typeof image.url !== "string") return "has no image_url.url";
  return imageAt({ url: image.url }, image.detail, block);
}

function decodeFile(block: WireObject): FilePart | OtherPart {
  const file = block.file;
  if (!isWireObject(file)) return unknownBlock(block, "file");
  const name = stringField(file, "filename");
  const fileId = stringField(file, "file_id");
  return defined({ type: "file", name, fileId, ...fromFileData(file), source: block });
}

function decodeAudio(block: WireObject): FilePart | OtherPart {
  const audio = block.input_audio;
  if (!isWireObject(audio) || typeof audio.data !== "string" || typeof audio.format !== "string") {
    return unknownBlock(block, "input_audio");
  }
  return { type: "file", mediaType: `audio/${audio.format}`, data: audio.data, source: block };
}

/** Reads `tool_calls` of an assistant message onto the end of `parts`; a string says what is wrong with them. */
function decodeToolCalls(calls: unknown, parts: PartSink<ToolCallPart>): string | undefined {
  return decodeCalls(
    calls,
    (call, id) => {
      const part = isWireObject(call.custom)
        ? decodeCall(call, id, call.custom, call.custom.input, true)
        : decodeCall(call, id, call.function, isWireObject(call.function) ? call.function.arguments : "", false);
      return part ?? "has no function name";
    },
    parts,
  );
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
