import type { JsonObject } from "../json.ts";
import type { AnswerContext, Frame } from "../protocol.ts";
import type { Reply } from "../reply.ts";
import { type OutputItem, outputItems } from "./output-items.ts";
import { inputItems } from "./resolve-items.ts";

export function writeJson(reply: Reply, context: AnswerContext): JsonObject {
  const items = outputItems(reply, context).map(({ whole }) => whole);
  remember(items, context);
  return envelope(reply, context, { status: statusOf(reply), output: items });
}

/** The answer as the API streams it, numbered in one sequence. */
export function* writeFrames(reply: Reply, context: AnswerContext): Iterable<Frame> {
  let sequence = 0;
  const frame = (type: string, fields: JsonObject): Frame => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...fields }),
  });
  const begun = envelope(reply, context, { status: "in_progress", output: [], usage: null });
  yield frame("response.created", { response: begun });
  yield frame("response.in_progress", { response: begun });
  const items = outputItems(reply, context);
  for (const [index, item] of items.entries()) {
    for (const { type, fields } of itemEvents(item, index)) yield frame(type, fields);
  }
  const output = items.map(({ whole }) => whole);
  remember(output, context);
  const status = statusOf(reply);
  yield frame(`response.${status}`, { response: envelope(reply, context, { status, output }) });
}

function* itemEvents(
  item: OutputItem,
  index: number,
): Iterable<{ readonly type: string; readonly fields: JsonObject }> {
  const at = { output_index: index, item_id: item.whole.id };
  yield { type: "response.output_item.added", fields: { output_index: index, item: item.start } };
  if (item.part !== undefined) {
    const place = { ...at, [item.part.indexField]: 0 };
    yield { type: `response.${item.part.name}.added`, fields: { ...place, part: item.part.start } };
    for (const delta of item.deltas)
      yield { type: `response.${item.part.text}.delta`, fields: { ...place, delta, ...item.part.extra } };
    yield { type: `response.${item.part.text}.done`, fields: { ...place, text: item.text, ...item.part.extra } };
    yield { type: `response.${item.part.name}.done`, fields: { ...place, part: item.part.whole } };
  } else if (item.inputEvent !== undefined) {
    for (const delta of item.deltas) yield { type: `response.${item.inputEvent.name}.delta`, fields: { ...at, delta } };
    yield { type: `response.${item.inputEvent.name}.done`, fields: { ...at, [item.inputEvent.field]: item.text } };
  }
  yield { type: "response.output_item.done", fields: { output_index: index, item: item.whole } };
}

/** Keeps the conversation under the new response's id, unless the client asked not to. */
function remember(output: readonly JsonObject[], { turn, memory, id }: AnswerContext): void {
  if (turn.body.store === false) return;
  const previous = turn.body.previous_response_id;
  const before = typeof previous === "string" ? (memory.responses.get(previous) ?? []) : [];
  memory.responses.set(`resp_${id}`, [...before, ...inputItems(turn.body), ...output]);
}

const statusOf = (reply: Reply): string => (reply.finish === "length" ? "incomplete" : "completed");

export function envelope(reply: Reply, context: AnswerContext, fields: JsonObject): JsonObject {
  const { turn, id } = context;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_770_000_000,
    model: turn.model,
    error: null,
    incomplete_details: reply.finish === "length" ? { reason: "max_output_tokens" } : null,
    instructions: turn.body.instructions ?? null,
    metadata: {},
    parallel_tool_calls: turn.body.parallel_tool_calls ?? true,
    previous_response_id: turn.body.previous_response_id ?? null,
    store: turn.body.store ?? true,
    tool_choice: turn.body.tool_choice ?? "auto",
    tools: turn.body.tools ?? [],
    usage: usageOf(reply, context),
    ...fields,
  };
}

function usageOf(reply: Reply, context: AnswerContext): JsonObject | null {
  if (reply.usage?.where === "never") return null;
  const input = reply.usage?.inputTokens ?? context.inputTokens;
  const output = reply.usage?.outputTokens ?? context.outputTokens;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: Math.min(context.cachedTokens, Math.max(0, input)) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
