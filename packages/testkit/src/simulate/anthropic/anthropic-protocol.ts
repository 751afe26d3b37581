import { signThought } from "../../generate/sign-thought.ts";
import { areaImageTokens, countText } from "../count-text.ts";
import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import type { AnswerContext, CountedPiece, Frame, Protocol, RequestView } from "../protocol.ts";
import type { Reply, ReplyCall } from "../reply.ts";
import { slices } from "../slices.ts";
import type { Turn, TurnMessage } from "../turn.ts";
import { contentBlocks } from "./validate-messages.ts";
import { validateRequest } from "./validate-request.ts";

/** Anthropic's Messages API, its token counts and its model list. */
export const anthropicProtocol: Protocol = {
  name: "anthropic-messages",
  route(method, path) {
    if (method === "POST" && path === "/v1/messages") return "reply";
    if (method === "POST" && path === "/v1/messages/count_tokens") return "count";
    if (method === "GET" && path === "/v1/models") return "models";
    return method === "GET" && path.startsWith("/v1/models/") ? "model" : undefined;
  },
  validate: validateRequest,
  pieces: readPieces,
  outputLimit: (body) => (typeof body.max_tokens === "number" ? body.max_tokens : undefined),
  read: readRequest,
  frames: writeFrames,
  json: writeJson,
  countBody: (inputTokens) => ({ input_tokens: inputTokens }),
  modelBody: (id, { window = 200_000, maxOutput = 64_000 }) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: window,
    max_tokens: maxOutput,
  }),
  modelList(ids, options) {
    const data = ids.map((id) => this.modelBody(id, options));
    return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
  },
  errorBody: ({ type, message }) => ({ type: "error", error: { type, message }, request_id: "req_sim" }),
  errorHeaders: () => ({ "request-id": "req_sim" }),
  errorFrame: ({ type, message }) => ({
    event: "error",
    data: JSON.stringify({ type: "error", error: { type: asText(type), message } }),
  }),
};

function readRequest({ body }: RequestView): Omit<Turn, "inputTokens" | "index"> {
  return {
    protocol: "anthropic-messages",
    model: asText(body.model),
    stream: body.stream === true,
    system: systemText(body),
    messages: asArray(body.messages).filter(isObject).map(readMessage),
    tools: asArray(body.tools).flatMap((tool) => (isObject(tool) ? [asText(tool.name)] : [])),
    body,
  };
}

const systemText = (body: JsonObject): string =>
  typeof body.system === "string" ? body.system : textOf(asArray(body.system).filter(isObject));

const textOf = (blocks: readonly JsonObject[]): string =>
  blocks.flatMap((block) => (block.type === "text" ? [asText(block.text)] : [])).join("\n");

function readMessage(message: JsonObject): TurnMessage {
  const blocks = contentBlocks(message);
  const results = blocks.filter((block) => block.type === "tool_result");
  const role = asText(message.role);
  const onlyResults = results.length > 0 && results.length === blocks.length;
  return {
    role: role === "assistant" || role === "system" ? role : onlyResults ? "tool" : "user",
    text: textOf(blocks),
    calls: blocks.flatMap((block) =>
      block.type === "tool_use"
        ? [{ id: asText(block.id), name: asText(block.name), input: JSON.stringify(block.input) }]
        : [],
    ),
    results: results.map((block) => ({
      callId: asText(block.tool_use_id),
      text: typeof block.content === "string" ? block.content : textOf(asArray(block.content).filter(isObject)),
    })),
  };
}

/** Tools, then the system prompt, then the messages: the order in which the provider caches them. */
function readPieces({ body }: RequestView): CountedPiece[] {
  const pieces: CountedPiece[] = asArray(body.tools).map((tool) => ({
    tokens: 8 + countText(JSON.stringify(tool, withoutCacheMarks)),
    identity: identityOf(tool),
  }));
  const system = typeof body.system === "string" ? [{ type: "text", text: body.system }] : asArray(body.system);
  for (const block of system) {
    pieces.push({ tokens: isObject(block) ? countText(asText(block.text)) : 0, identity: identityOf(block) });
  }
  for (const message of asArray(body.messages).filter(isObject)) {
    const blocks = contentBlocks(message);
    const tokens = blocks.reduce((sum, block) => sum + countBlock(block), 3);
    pieces.push({ tokens, identity: identityOf([message.role, blocks]) });
  }
  return pieces;
}

const withoutCacheMarks = (key: string, value: unknown) => (key === "cache_control" ? undefined : value);
const identityOf = (value: unknown): string => JSON.stringify(value, withoutCacheMarks);

function countBlock(block: JsonObject): number {
  const source = isObject(block.source) ? block.source : {};
  switch (block.type) {
    case "text":
      return countText(asText(block.text));
    case "thinking":
      return countText(asText(block.thinking));
    case "redacted_thinking":
      return Math.ceil((asText(block.data).length * 3) / 16);
    case "image":
      return areaImageTokens(source.type === "base64" ? asText(source.data) : undefined);
    case "document":
      return 10 + countText(asText(block.title)) + (source.type === "text" ? countText(asText(source.data)) : 1_500);
    case "tool_use":
      return 8 + countText(asText(block.name)) + countText(JSON.stringify(block.input));
    case "tool_result": {
      const content =
        typeof block.content === "string" ? [{ type: "text", text: block.content }] : asArray(block.content);
      return content.filter(isObject).reduce((sum, inner) => sum + countBlock(inner), 6);
    }
    default:
      return countText(JSON.stringify(block));
  }
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  calls: "tool_use",
  refusal: "refusal",
};

/** The whole answer as one JSON body. */
function writeJson(reply: Reply, context: AnswerContext): JsonObject {
  const content = blocksOf(reply, context).map(({ whole }) => whole);
  return { ...envelope(context), content, ...ending(reply), usage: usageOf(reply, context, false) };
}

/** The answer as the API streams it. */
function* writeFrames(reply: Reply, context: AnswerContext): Iterable<Frame> {
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
