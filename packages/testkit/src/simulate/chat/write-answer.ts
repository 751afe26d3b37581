import { isObject, type JsonObject } from "../json.ts";
import type { AnswerContext, Frame } from "../protocol.ts";
import type { Reply, ReplyCall } from "../reply.ts";
import { slices } from "../slices.ts";
import { callDeltas, inputOf, partsOf } from "./call-deltas.ts";

const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  calls: "tool_calls",
  refusal: "content_filter",
};

export function writeJson(reply: Reply, context: AnswerContext): JsonObject {
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

export function* writeFrames(reply: Reply, context: AnswerContext): Iterable<Frame> {
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
