import { countContent, countFileData, countImageUrl, countText } from "../count-text.ts";
import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import { openaiErrorBody, openaiModelBody, openaiModelList, openaiModelPurpose } from "../openai-models.ts";
import type { AnswerContext, CountedPiece, Frame, Protocol, RequestView } from "../protocol.ts";
import type { CallQuirk, Reply, ReplyCall } from "../reply.ts";
import { slices } from "../slices.ts";
import type { Turn, TurnMessage } from "../turn.ts";
import { validateRequest } from "./validate-request.ts";

/** OpenAI's Chat Completions and model list. */
export const chatProtocol: Protocol = {
  name: "openai-chat",
  route: (method, path) =>
    method === "POST" && path === "/v1/chat/completions" ? "reply" : openaiModelPurpose(method, path),
  validate: validateRequest,
  pieces: readPieces,
  outputLimit: ({ max_completion_tokens: newer, max_tokens: older }) =>
    typeof newer === "number" ? newer : typeof older === "number" ? older : undefined,
  read: readRequest,
  frames: writeFrames,
  json: writeJson,
  countBody: (inputTokens) => ({ input_tokens: inputTokens }),
  modelBody: openaiModelBody,
  modelList: openaiModelList,
  errorBody: openaiErrorBody,
  errorHeaders: () => ({ "x-request-id": "req_sim" }),
  errorFrame: (problem) => ({ data: JSON.stringify(openaiErrorBody(problem)) }),
};

function readRequest({ body }: RequestView): Omit<Turn, "inputTokens" | "index"> {
  const messages = asArray(body.messages).filter(isObject).map(readMessage);
  const from = messages.findIndex((message) => message.role !== "system");
  const head = from < 0 ? messages : messages.slice(0, from);
  return {
    protocol: "openai-chat",
    model: asText(body.model),
    stream: body.stream === true,
    system: head.map((message) => message.text).join("\n"),
    messages: messages.slice(head.length),
    tools: asArray(body.tools).flatMap((tool) => {
      const inner = isObject(tool) ? (tool.function ?? tool.custom) : undefined;
      return isObject(inner) ? [asText(inner.name)] : [];
    }),
    body,
  };
}

function readMessage(message: JsonObject): TurnMessage {
  const text = textOf(message.content);
  const role = asText(message.role);
  return {
    role: role === "assistant" || role === "tool" || role === "user" ? role : "system",
    text: role === "tool" ? "" : text,
    calls: asArray(message.tool_calls).filter(isObject).map(readCall),
    results: role === "tool" ? [{ callId: asText(message.tool_call_id), text }] : [],
  };
}

function readCall(call: JsonObject) {
  const inner = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {};
  return { id: asText(call.id), name: asText(inner.name), input: asText(inner.arguments ?? inner.input) };
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : asArray(content)
        .flatMap((part) => (isObject(part) && part.type === "text" ? [asText(part.text)] : []))
        .join("\n");

/** Tools first, then the messages, then the primer of the reply. */
function readPieces({ body }: RequestView): CountedPiece[] {
  const pieces: CountedPiece[] = asArray(body.tools).map((tool, index) => ({
    tokens: countTool(tool) + (index === 0 ? 12 : 0),
    identity: JSON.stringify(tool),
  }));
  for (const message of asArray(body.messages).filter(isObject)) {
    const name = typeof message.name === "string" ? 1 + countText(message.name) : 0;
    const calls = asArray(message.tool_calls)
      .filter(isObject)
      .map(readCall)
      .reduce((sum, call) => sum + 3 + countText(call.name) + countText(call.input), 0);
    pieces.push({
      tokens: 3 + name + countContent(message.content, countPart) + calls,
      identity: JSON.stringify(message),
    });
  }
  pieces.push({ tokens: 3, identity: "primer" });
  return pieces;
}

function countTool(tool: unknown): number {
  const inner = isObject(tool) ? (tool.function ?? tool.custom) : undefined;
  if (!isObject(inner)) return countText(JSON.stringify(tool));
  return (
    7 +
    countText(asText(inner.name)) +
    countText(asText(inner.description)) +
    countText(JSON.stringify(inner.parameters ?? {}))
  );
}

function countPart(part: JsonObject): number {
  switch (part.type) {
    case "text":
      return countText(asText(part.text));
    case "image_url":
      return countImageUrl(isObject(part.image_url) ? asText(part.image_url.url) : "");
    case "file":
      return countFileData(isObject(part.file) ? asText(part.file.file_data) : "");
    default:
      return countText(JSON.stringify(part));
  }
}

const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  calls: "tool_calls",
  refusal: "content_filter",
};

function writeJson(reply: Reply, context: AnswerContext): JsonObject {
  const calls = reply.calls ?? [];
  const message: Record<string, unknown> = {
    role: "assistant",
    content: reply.text ?? (calls.length > 0 ? null : ""),
    refusal: null,
  };
  const thought = thoughtOf(reply);
  if (thought !== "") message.reasoning_content = thought;
  if (calls.length > 0) message.tool_calls = calls.map((call, place) => callOf(call, place, context));
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(reply) }];
  const usage = reply.usage?.where === "never" ? {} : { usage: usageOf(reply, context) };
  return { ...envelope("chat.completion", context), choices, ...usage };
}

function* writeFrames(reply: Reply, context: AnswerContext): Iterable<Frame> {
  const where = reply.usage?.where ?? "usual";
  const asked = isObject(context.turn.body.stream_options) && context.turn.body.stream_options.include_usage === true;
  const usage = usageOf(reply, context);
  const chunk = (delta: JsonObject, finish: string | null = null): Frame => {
    const shown = where === "every-chunk" || (where === "finish-chunk" && finish !== null) ? { usage } : {};
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    return { data: JSON.stringify({ ...envelope("chat.completion.chunk", context), choices, ...shown }) };
  };
  if (reply.stream?.oneChunk === true) {
    const { content, reasoning_content, tool_calls } = wholeDelta(reply, context);
    yield chunk({ role: "assistant", content, reasoning_content, tool_calls }, finishOf(reply));
  } else {
    yield chunk({ role: "assistant", content: "" });
    for (const delta of deltasOf(reply, context)) yield chunk(delta);
    yield chunk({}, finishOf(reply));
  }
  if (where === "usual" && asked) {
    yield { data: JSON.stringify({ ...envelope("chat.completion.chunk", context), choices: [], usage }) };
  }
  if (reply.stream?.omitDone !== true) yield { data: "[DONE]" };
}

function wholeDelta(reply: Reply, context: AnswerContext) {
  const thought = thoughtOf(reply);
  return {
    content: reply.text ?? null,
    reasoning_content: thought === "" ? undefined : thought,
    tool_calls: reply.calls?.map((call, index) => ({ index, ...callOf(call, index, context) })),
  };
}

function* deltasOf(reply: Reply, context: AnswerContext): Iterable<JsonObject> {
  const chars = reply.stream?.deltaChars ?? 24;
  for (const reasoning_content of slices(thoughtOf(reply), chars)) yield { reasoning_content };
  for (const content of slices(reply.text ?? "", chars)) yield { content };
  const calls = (reply.calls ?? []).map((call, index) =>
    callDeltas(call, { index, chars, id: context.id, quirk: reply.stream?.callQuirk }),
  );
  if (reply.stream?.interleaveCalls !== true) {
    for (const deltas of calls) yield* deltas;
    return;
  }
  const longest = Math.max(0, ...calls.map((deltas) => deltas.length));
  for (let round = 0; round < longest; round++) {
    for (const deltas of calls) {
      const delta = deltas[round];
      if (delta !== undefined) yield delta;
    }
  }
}

function callOf(call: ReplyCall, index: number, context: AnswerContext): JsonObject {
  const { id, type, kind, field } = partsOf(call, index, context.id);
  return { id, type, [kind]: { name: call.name, [field]: inputOf(call) } };
}

const thoughtOf = (reply: Reply): string =>
  (reply.thoughts ?? []).map((thought) => ("text" in thought ? thought.text : "")).join("\n");

function finishOf(reply: Reply): string {
  const reason = reply.finish ?? ((reply.calls ?? []).length > 0 ? "calls" : "stop");
  return finishReasons[reason] ?? reason;
}

function envelope(object: string, { id, turn }: AnswerContext): JsonObject {
  return { id: `chatcmpl-${id}`, object, created: 1_770_000_000, model: turn.model, system_fingerprint: null };
}

function usageOf(reply: Reply, context: AnswerContext): JsonObject {
  const prompt = reply.usage?.inputTokens ?? context.inputTokens;
  const completion = reply.usage?.outputTokens ?? context.outputTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: Math.min(context.cachedTokens, Math.max(0, prompt)) },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

interface CallDeltaOptions {
  readonly index: number;
  readonly chars: number;
  /** Id of the answer, from which the call gets its own. */
  readonly id: string;
  readonly quirk: CallQuirk | undefined;
}

/** The first delta names the call, the rest bring its arguments; a quirk bends that as real servers do. */
function callDeltas(call: ReplyCall, { index, chars, id: answerId, quirk }: CallDeltaOptions): JsonObject[] {
  const { id, type, kind, field } = partsOf(call, index, answerId);
  const place = quirk === "no-index" ? {} : { index: quirk === "same-index" ? 0 : index };
  const half = Math.ceil(call.name.length / 2);
  const name = quirk === "split-name" ? call.name.slice(0, half) : call.name;
  const opening = { ...place, ...(quirk === "late-id" ? {} : { id }), type, [kind]: { name, [field]: "" } };
  const rest = quirk === "split-name" ? [{ ...place, [kind]: { name: call.name.slice(half) } }] : [];
  const again = quirk === "repeated-name" ? { name: call.name } : {};
  const known = quirk === "no-index" ? { id } : {};
  const inputs: readonly unknown[] =
    quirk === "object-arguments" ? [JSON.parse(inputOf(call))] : slices(inputOf(call), chars);
  const pieces = inputs.map((piece, at) => ({
    ...place,
    ...known,
    ...(quirk === "late-id" && at === inputs.length - 1 ? { id } : {}),
    [kind]: { ...again, [field]: piece },
  }));
  return [opening, ...rest, ...pieces].map((each) => ({ tool_calls: [each] }));
}

function partsOf(call: ReplyCall, index: number, answerId: string) {
  const kind = call.custom === true ? "custom" : "function";
  const field = call.custom === true ? "input" : "arguments";
  return { id: call.id ?? `call_${answerId}_${index}`, type: kind, kind, field };
}

const inputOf = (call: ReplyCall): string => (typeof call.input === "string" ? call.input : JSON.stringify(call.input));
