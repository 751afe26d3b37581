import { signThought } from "../../generate/sign-thought.ts";
import type { JsonObject } from "../json.ts";
import type { AnswerContext, Frame } from "../protocol.ts";
import type { Reply, ReplyCall } from "../reply.ts";
import { slices } from "../slices.ts";

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  calls: "tool_use",
  refusal: "refusal",
};

/** The whole answer as one JSON body. */
export function writeJson(reply: Reply, context: AnswerContext): JsonObject {
  const content = blocksOf(reply, context).map(({ whole }) => whole);
  return { ...envelope(context), content, ...ending(reply), usage: usageOf(reply, context, false) };
}

/** The answer as the API streams it. */
export function* writeFrames(reply: Reply, context: AnswerContext): Iterable<Frame> {
  const begun = {
    ...envelope(context),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(reply, context, true),
  };
  yield frame("message_start", { message: begun });
  yield frame("ping", {});
  for (const [index, { start, deltas }] of blocksOf(reply, context).entries()) {
    yield frame("content_block_start", { index, content_block: start });
    for (const delta of deltas) yield frame("content_block_delta", { index, delta });
    yield frame("content_block_stop", { index });
  }
  yield frame("message_delta", { delta: ending(reply), usage: usageOf(reply, context, false) });
  yield frame("message_stop", {});
}

const frame = (type: string, fields: JsonObject): Frame => ({ event: type, data: JSON.stringify({ type, ...fields }) });

interface Block {
  readonly whole: JsonObject;
  /** The block as it stands before its first delta. */
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
}

function blocksOf(reply: Reply, { memory, id }: AnswerContext): Block[] {
  const chars = reply.stream?.deltaChars ?? 24;
  const blocks: Block[] = [];
  const marks: string[] = [];
  for (const thought of reply.thoughts ?? []) {
    if ("opaque" in thought) {
      const whole = { type: "redacted_thinking", data: thought.opaque };
      blocks.push({ whole, start: whole, deltas: [] });
      marks.push(thought.opaque);
      continue;
    }
    const signature = signThought(thought.text);
    marks.push(signature);
    const deltas = slices(thought.text, chars).map((thinking) => ({ type: "thinking_delta", thinking }));
    blocks.push({
      whole: { type: "thinking", thinking: thought.text, signature },
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [...deltas, { type: "signature_delta", signature }],
    });
  }
  if (reply.text !== undefined && reply.text !== "") {
    const deltas = slices(reply.text, chars).map((text) => ({ type: "text_delta", text }));
    blocks.push({ whole: { type: "text", text: reply.text }, start: { type: "text", text: "" }, deltas });
  }
  for (const [place, call] of (reply.calls ?? []).entries()) {
    const callId = call.id ?? `toolu_${id}_${place}`;
    memory.thoughtsByCall.set(callId, marks);
    const deltas = slices(inputOf(call), chars).map((json) => ({ type: "input_json_delta", partial_json: json }));
    const start = { type: "tool_use", id: callId, name: call.name, input: {} };
    blocks.push({ whole: { ...start, input: JSON.parse(inputOf(call)) }, start, deltas });
  }
  return blocks;
}

const inputOf = (call: ReplyCall): string => (typeof call.input === "string" ? call.input : JSON.stringify(call.input));

function envelope({ id, turn }: AnswerContext): JsonObject {
  return { id: `msg_${id}`, type: "message", role: "assistant", model: turn.model };
}

function ending(reply: Reply): JsonObject {
  const reason = reply.finish ?? ((reply.calls ?? []).length > 0 ? "calls" : "stop");
  return { stop_reason: stopReasons[reason] ?? reason, stop_sequence: null };
}

function usageOf(reply: Reply, context: AnswerContext, atStart: boolean): JsonObject | undefined {
  if (reply.usage?.where === "never") return undefined;
  const input = reply.usage?.inputTokens ?? context.inputTokens - context.cachedTokens;
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: reply.usage?.inputTokens === undefined ? context.cachedTokens : 0,
    output_tokens: atStart ? 1 : (reply.usage?.outputTokens ?? context.outputTokens),
  };
}
