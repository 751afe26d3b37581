import { formats, type Message, MidfoldError, type Part, type ToolChoice } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, numberField, textField } from "../../neutral/json-object.ts";
import type { NeutralRequest, ReasoningRequest, ResponseFormat } from "../../neutral/neutral-request.ts";
import type { NeutralResponse } from "../../neutral/neutral-response.ts";
import type { BodyAccess, Protocol, ReplyContext } from "../../neutral/protocol.ts";
import { describeHosted } from "../../translate/describe-part.ts";
import { splitLeadingSystem } from "../../translate/place-system-turns.ts";
import { decodeTools } from "../decode-tools.ts";
import { openaiAnswers } from "../openai-answers.ts";
import { cacheKeptMs } from "../openai-cache-kept.ts";
import { readBody, readModel, unknownFields } from "../read-body.ts";
import { readEffort } from "../read-effort.ts";
import { decodeResponse } from "./decode-response.ts";
import { encodeRequest } from "./encode-request.ts";
import { incompleteReason, replyEnvelope } from "./reply-envelope.ts";
import {
  callItem,
  compactionItem,
  itemId,
  messageItem,
  type ReplyItem,
  reasoningItem,
  toolsByName,
} from "./reply-items.ts";
import { openThinking, sealThinking } from "./sealed-thinking.ts";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createStreamEncoder } from "./stream-encoder.ts";

/** `previous_response_id`: a client that goes on from an answer sends only what is new. */
const storedResponses: NonNullable<BodyAccess["stored"]> = {
  previousOf: (body) => (isJsonObject(body) ? textField(body.previous_response_id) : undefined),
  referenceOf: (item) => {
    if (!isJsonObject(item) || item.type !== "item_reference") return undefined;
    const id = textField(item.id);
    // Items of answers made here carry the id of their answer in their own.
    const answer = /^[a-z]+_(.+)_\d+$/.exec(id ?? "")?.[1];
    return id === undefined ? undefined : { id, answer: answer === undefined ? undefined : `resp_${answer}` };
  },
  withHistory: (body, items) => {
    if (!isJsonObject(body)) return body;
    const { previous_response_id: _, ...rest } = body;
    return { ...rest, input: [...items, ...itemsOf(body)] };
  },
  isKept: (body) => isJsonObject(body) && body.store !== false,
  outputOf: (response) => {
    if (!isJsonObject(response) || !Array.isArray(response.output)) return undefined;
    const id = textField(response.id);
    return id === undefined ? undefined : { id, items: response.output.filter((item) => !isHusk(item)) };
  },
  answerIn: (frames) => {
    if (!lastEvents.some((type) => frames.includes(type))) return undefined;
    for (const [, data] of frames.matchAll(/^data: ?(.+)$/gm)) {
      const event = parseJson(data!);
      if (isJsonObject(event) && lastEvents.includes(textField(event.type) ?? "")) return event.response;
    }
    return undefined;
  },
  saysKept: (response) => isJsonObject(response) && response.store === true,
  isRefusedIn: (text, id) => /previous.response/i.test(text) || text.includes(id),
};

const lastEvents = ["response.completed", "response.incomplete"];

/** Reasoning of which nothing but its id is left: only who keeps it knows more, and others refuse it. */
function isHusk(item: unknown): boolean {
  if (!isJsonObject(item) || item.type !== "reasoning" || isPresent(item.encrypted_content)) return false;
  return ![item.content, item.summary].some((list) => Array.isArray(list) && list.length > 0);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const bodyAccess: BodyAccess = {
  fields: {
    model: "model",
    stream: "stream",
    tools: "tools",
    messages: "input",
    system: "instructions",
    maxOutput: ["max_output_tokens"],
  },
  messagesOf: itemsOf,
  assertConversation: (body) => refuseState(readBody(body)),
  withMessages: (body, messages) => (isJsonObject(body) ? { ...body, input: messages } : body),
  systemOf: (body) =>
    isJsonObject(body) && typeof body.instructions === "string" && body.instructions !== ""
      ? [{ role: "system", parts: [{ type: "text", text: body.instructions }] }]
      : [],
  toolsOf: (body) => (isJsonObject(body) ? decodeTools(body.tools) : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body.tool_choice) : undefined),
  cacheKeptMs,
  maxOutputOf: (body) => (isJsonObject(body) ? numberField(body.max_output_tokens) : undefined),
  stored: storedResponses,
  compaction: {
    isAsked: (body) => hasCompactionTrigger(itemsOf(body)),
    isRefusedIn: refusesCompactionTrigger,
  },
  withMaxOutput: (body, tokens) => (isJsonObject(body) ? { ...body, max_output_tokens: tokens } : body),
};

/** OpenAI Responses. */
export const openaiResponses: Protocol = {
  name: "openai-responses",
  format: formats["openai-responses"],
  idPrefix: "resp_",
  body: bodyAccess,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder,
  createStreamEncoder,
  failsInStream: true,
  ...openaiAnswers("input"),
};

const known: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens", "text"],
  ...["temperature", "top_p", "reasoning", "stream", "stream_options", "user", "safety_identifier", "include"],
  ...["prompt_cache_key", "store", "previous_response_id", "truncation", "metadata", "client_metadata"],
]);

function decodeRequest(raw: unknown): NeutralRequest {
  const body = readBody(raw);
  refuseState(body);
  const instructions = textField(body.instructions);
  const own: Message[] =
    instructions === undefined || instructions === ""
      ? []
      : [{ role: "system", parts: [{ type: "text", text: instructions }] }];
  const items = itemsOf(body);
  if (items.length === 0) {
    throw new MidfoldError("VALIDATION_ERROR", "input: at least one item is required", { details: { param: "input" } });
  }
  const [leading, messages] = splitLeadingSystem(openThinking(formats["openai-responses"].decode(items)));
  return compact({
    model: readModel(body),
    system: [...own, ...leading],
    messages,
    tools: decodeTools(body.tools),
    toolChoice: decodeToolChoice(body.tool_choice),
    parallelToolCalls: typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : undefined,
    maxOutputTokens: numberField(body.max_output_tokens),
    temperature: numberField(body.temperature),
    topP: numberField(body.top_p),
    stop: [],
    reasoning: decodeReasoning(body.reasoning),
    responseFormat: decodeFormat(body.text),
    stream: body.stream === true,
    includeUsage: true,
    user: textField(body.safety_identifier) ?? textField(body.user),
    cacheKey: textField(body.prompt_cache_key),
    contextEdits: [],
    extra: unknownFields(body, known),
    source: raw,
  });
}

/** Another provider's upstream does not hold OpenAI's stored responses; clients then send the whole history. */
function refuseState(body: JsonObject): void {
  const { previous_response_id: previous, conversation, prompt } = body;
  const refuse = (param: string, message: string, more: object = {}) => {
    throw new MidfoldError("VALIDATION_ERROR", message, { details: { ...more, param } });
  };
  if (isPresent(previous)) {
    const name = "previous_response_id";
    if (typeof previous !== "string") {
      refuse(name, `${name}: must be a string, not ${Array.isArray(previous) ? "a list" : `a ${typeof previous}`}`);
    }
    refuse(name, `Previous response with id '${previous}' not found.`, { code: "previous_response_not_found" });
  }
  // Left out, the model would answer without what its client believes it has read.
  if (isPresent(conversation)) {
    const instead = "send its items in `input`, or go on from an answer with `previous_response_id`";
    refuse("conversation", `conversation: conversations of another provider are not kept here; ${instead}.`);
  }
  if (isPresent(prompt)) {
    const instead = "send its text in `instructions` and `input`";
    refuse("prompt", `prompt: prompts stored at another provider are not kept here; ${instead}.`);
  }
}

const isPresent = (value: unknown) => value !== undefined && value !== null;

function decodeReasoning(reasoning: unknown): ReasoningRequest | undefined {
  if (!isJsonObject(reasoning)) return undefined;
  const effort = readEffort(reasoning.effort);
  return effort === undefined ? undefined : { effort };
}

function decodeFormat(text: unknown): ResponseFormat | undefined {
  const format = isJsonObject(text) ? text.format : undefined;
  if (!isJsonObject(format)) return undefined;
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema") return undefined;
  const { name, schema, strict } = format;
  return { type: "json-schema", name: textField(name) ?? "response", schema, ...(strict === true ? { strict } : {}) };
}

function encodeResponse(response: NeutralResponse, reply: ReplyContext): unknown {
  const reason = incompleteReason(response.finish);
  const usage = response.usage ?? { inputTokens: reply.estimatedInputTokens, outputTokens: 0 };
  return {
    ...replyEnvelope(reply, replyItems(response.parts, reply), { status: reason ? "incomplete" : "completed", usage }),
    incomplete_details: reason === undefined ? null : { reason },
  };
}

function replyItems(parts: readonly Part[], reply: ReplyContext): ReplyItem[] {
  const tools = toolsByName(reply);
  const items: ReplyItem[] = [];
  for (const part of parts) {
    const place = items.length;
    if (part.type === "text") items.push(messageItem(itemId("msg", reply, place), part.text));
    else if (part.type === "reasoning") {
      const sealed = sealThinking(part);
      if (reply.hideReasoning === true && sealed === undefined) continue;
      items.push(reasoningItem(itemId("rs", reply, place), reply.hideReasoning === true ? "" : part.text, sealed));
    } else if ((part.type === "tool-call" || part.type === "tool-result") && part.hosted === true) {
      items.push(messageItem(itemId("msg", reply, place), describeHosted(part)));
    } else if (part.type === "tool-call") {
      const custom = part.custom === true;
      const id = itemId(custom ? "ctc" : "fc", reply, place);
      items.push(callItem(id, { id: part.id, name: part.name, input: part.input, custom }, tools));
    } else {
      const compaction = compactionItem(itemId("cmp", reply, place), part);
      if (compaction !== undefined) items.push(compaction);
    }
  }
  return items;
}

function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  if (choice.type === "allowed_tools") return { type: choice.mode === "required" ? "required" : "auto" };
  const name = textField(choice.name);
  return name === undefined ? undefined : { type: "tool", name };
}

/** The input items of a request; a plain string is one message of the user. */
function itemsOf(body: unknown): readonly unknown[] {
  const input = isJsonObject(body) ? body.input : undefined;
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  if (Array.isArray(input)) return input;
  if (input === undefined || input === null) return [];
  throw new MidfoldError("VALIDATION_ERROR", "input must be a string or an array of items.", {
    details: { param: "input" },
  });
}

const trigger = "compaction_trigger";

/** Whether the client asks for its history to be compacted now, by an item at the end of the input. */
export function hasCompactionTrigger(items: readonly unknown[]): boolean {
  const last = items.at(-1);
  return isJsonObject(last) && last.type === trigger;
}

/** Whether a server's refusal says that it does not know the item. */
function refusesCompactionTrigger(text: string): boolean {
  return text.includes(trigger);
}
