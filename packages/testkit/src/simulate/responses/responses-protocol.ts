import { sealThought } from "../../generate/sign-thought.ts";
import { countContent, countFileData, countImageUrl, countText } from "../count-text.ts";
import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import { openaiErrorBody, openaiModelBody, openaiModelList, openaiModelPurpose } from "../openai-models.ts";
import type { AnswerContext, CountedPiece, Frame, Protocol, RequestView } from "../protocol.ts";
import type { Reply } from "../reply.ts";
import { slices } from "../slices.ts";
import type { Turn, TurnMessage } from "../turn.ts";
import { itemTypes } from "./known-fields.ts";
import { inputItems, itemType, resolveItems } from "./resolve-items.ts";
import { validateRequest } from "./validate-request.ts";

/** OpenAI's Responses API with its token counts, compaction and model list. */
export const responsesProtocol: Protocol = {
  name: "openai-responses",
  route(method, path) {
    if (method !== "POST") return openaiModelPurpose(method, path);
    if (path === "/v1/responses") return "reply";
    if (path === "/v1/responses/input_tokens") return "count";
    return path === "/v1/responses/compact" ? "compact" : undefined;
  },
  validate: validateRequest,
  pieces: readPieces,
  outputLimit: ({ max_output_tokens: limit }) => (typeof limit === "number" ? limit : undefined),
  read: readRequest,
  frames: writeFrames,
  json: writeJson,
  countBody: (inputTokens) => ({ object: "response.input_tokens", input_tokens: inputTokens }),
  /** Keeps what the user said and seals the rest, as the real endpoint does. */
  compactBody(context) {
    const kept = inputItems(context.turn.body).filter(
      (item) => typeof item === "object" && item !== null && "role" in item && item.role === "user",
    );
    const sealed = { type: "compaction", id: `cmp_${context.id}`, encrypted_content: sealThought(context.id) };
    const { usage } = envelope({}, context, {});
    return {
      id: `resp_${context.id}`,
      object: "response.compaction",
      created_at: 1_770_000_000,
      output: [...kept, sealed],
      usage,
    };
  },
  modelBody: openaiModelBody,
  modelList: openaiModelList,
  errorBody: openaiErrorBody,
  errorHeaders: () => ({ "x-request-id": "req_sim" }),
  errorFrame(problem, context) {
    const error = { code: problem.code ?? problem.type, message: problem.message };
    const response = envelope({}, context, { status: "failed", error, output: [], usage: null });
    return {
      event: "response.failed",
      data: JSON.stringify({ type: "response.failed", sequence_number: 2, response }),
    };
  },
};

function readRequest(view: RequestView): Omit<Turn, "inputTokens" | "index"> {
  const { body } = view;
  const messages = resolveItems(view).map(readItem);
  const from = messages.findIndex((message) => message.role !== "system");
  const head = from < 0 ? messages : messages.slice(0, from);
  return {
    protocol: "openai-responses",
    model: asText(body.model),
    stream: body.stream === true,
    system: [asText(body.instructions), ...head.map((message) => message.text)]
      .filter((text) => text !== "")
      .join("\n"),
    messages: messages.slice(head.length),
    tools: asArray(body.tools).flatMap((tool) => (isObject(tool) ? toolNames(tool) : [])),
    body,
  };
}

function toolNames(tool: JsonObject): string[] {
  const inner = asArray(tool.tools).flatMap((each) => (isObject(each) ? toolNames(each) : []));
  return inner.length > 0 ? inner : [asText(tool.name) || asText(tool.type)];
}

function readItem(item: JsonObject): TurnMessage {
  const { call, output } = itemTypes.get(itemType(item)) ?? {};
  const id = asText(item.call_id);
  if (output === true)
    return { role: "tool", text: "", calls: [], results: [{ callId: id, text: textOf(item.output) }] };
  if (call === true) {
    const input = asText(item.arguments ?? item.input) || JSON.stringify(item.action ?? {});
    return { role: "assistant", text: "", calls: [{ id, name: asText(item.name), input }], results: [] };
  }
  const role = asText(item.role);
  const spoken = role === "user" ? "user" : role === "system" || role === "developer" ? "system" : "assistant";
  return { role: spoken, text: textOf(item.content), calls: [], results: [] };
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : asArray(content)
        .flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []))
        .join("\n");

function readPieces(view: RequestView): CountedPiece[] {
  const { body } = view;
  const pieces: CountedPiece[] = asArray(body.tools).map((tool, index) => ({
    tokens: 7 + (index === 0 ? 12 : 0) + countText(JSON.stringify(tool)),
    identity: JSON.stringify(tool),
  }));
  const instructions = asText(body.instructions);
  if (instructions !== "") pieces.push({ tokens: 3 + countText(instructions), identity: instructions });
  for (const item of resolveItems(view)) pieces.push({ tokens: countItem(item), identity: JSON.stringify(item) });
  pieces.push({ tokens: 3, identity: "primer" });
  return pieces;
}

function countItem(item: JsonObject): number {
  switch (itemType(item)) {
    case "message":
      return 3 + countContent(item.content, countPart);
    case "function_call":
      return 6 + countText(asText(item.name)) + countText(asText(item.arguments));
    case "custom_tool_call":
      return 6 + countText(asText(item.name)) + countText(asText(item.input));
    case "reasoning": {
      const sealed = asText(item.encrypted_content);
      return 3 + countContent(item.summary, countPart) + Math.ceil((sealed.length * 3) / 16);
    }
    case "compaction":
      return 3 + Math.ceil((asText(item.encrypted_content).length * 3) / 16);
    default:
      return item.output === undefined ? 3 + countText(JSON.stringify(item)) : 3 + countContent(item.output, countPart);
  }
}

function countPart(part: JsonObject): number {
  if (typeof part.text === "string") return countText(part.text);
  if (part.type === "input_image") return countImageUrl(asText(part.image_url));
  return part.type === "input_file" ? countFileData(asText(part.file_data)) : countText(JSON.stringify(part));
}

function writeJson(reply: Reply, context: AnswerContext): JsonObject {
  const items = outputItems(reply, context).map(({ whole }) => whole);
  remember(items, context);
  return envelope(reply, context, { status: statusOf(reply), output: items });
}

/** The answer as the API streams it, numbered in one sequence. */
function* writeFrames(reply: Reply, context: AnswerContext): Iterable<Frame> {
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

function envelope(reply: Reply, context: AnswerContext, fields: JsonObject): JsonObject {
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

/** An output item as it begins, as it ends, and what is streamed in between. */
interface OutputItem {
  readonly start: JsonObject;
  readonly whole: JsonObject;
  readonly text: string;
  readonly deltas: readonly string[];
  /** The part within the item that the text belongs to. */
  readonly part?: {
    readonly name: string;
    readonly text: string;
    readonly indexField: string;
    readonly start: JsonObject;
    readonly whole: JsonObject;
    readonly extra: JsonObject;
  };
  /** The event and field that carry a call's input. */
  readonly inputEvent?: { readonly name: string; readonly field: string };
}

function outputItems(reply: Reply, context: AnswerContext): OutputItem[] {
  const chars = reply.stream?.deltaChars ?? 24;
  const thoughts = (reply.thoughts ?? []).map((thought, place) =>
    reasoningItem(thought, `rs_${context.id}_${place}`, chars),
  );
  const items = [...thoughts];
  if ((reply.text ?? "") !== "" || (thoughts.length === 0 && (reply.calls ?? []).length === 0)) {
    items.push(messageItem(reply.text ?? "", `msg_${context.id}`, chars));
  }
  const reasoningIds = thoughts.map(({ whole }) => String(whole.id));
  for (const [place, call] of (reply.calls ?? []).entries()) {
    const callId = call.id ?? `call_${context.id}_${place}`;
    context.memory.thoughtsByCall.set(callId, reasoningIds);
    const text = typeof call.input === "string" ? call.input : JSON.stringify(call.input);
    const custom = call.custom === true;
    const field = custom ? "input" : "arguments";
    const type = custom ? "custom_tool_call" : "function_call";
    const base = { type, id: `${custom ? "ctc" : "fc"}_${context.id}_${place}`, call_id: callId, name: call.name };
    items.push({
      start: { ...base, [field]: "", status: "in_progress" },
      whole: { ...base, [field]: text, status: "completed" },
      text,
      deltas: slices(text, chars),
      inputEvent: { name: custom ? "custom_tool_call_input" : "function_call_arguments", field },
    });
  }
  return items;
}

function reasoningItem(
  thought: { readonly text: string } | { readonly opaque: string },
  id: string,
  chars: number,
): OutputItem {
  if ("opaque" in thought) {
    const whole = { type: "reasoning", id, summary: [], encrypted_content: thought.opaque };
    return { start: whole, whole, text: "", deltas: [] };
  }
  const part = { type: "summary_text", text: thought.text };
  return {
    start: { type: "reasoning", id, summary: [], encrypted_content: "" },
    whole: { type: "reasoning", id, summary: [part], encrypted_content: sealThought(thought.text) },
    text: thought.text,
    deltas: slices(thought.text, chars),
    part: {
      name: "reasoning_summary_part",
      text: "reasoning_summary_text",
      indexField: "summary_index",
      start: { ...part, text: "" },
      whole: part,
      extra: {},
    },
  };
}

function messageItem(text: string, id: string, chars: number): OutputItem {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const base = { type: "message", id, role: "assistant" };
  return {
    start: { ...base, status: "in_progress", content: [] },
    whole: { ...base, status: "completed", content: [part] },
    text,
    deltas: slices(text, chars),
    part: {
      name: "content_part",
      text: "output_text",
      indexField: "content_index",
      start: { ...part, text: "" },
      whole: part,
      extra: { logprobs: [] },
    },
  };
}
