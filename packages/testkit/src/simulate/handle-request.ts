import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { countText } from "./count-text.ts";
import { begin, type Exchange, finish, pause, reset, sendJson, untilGone, write } from "./exchange.ts";
import type { Fault } from "./fault.ts";
import { isObject, type JsonObject } from "./json.ts";
import { type OverflowFlavour, type OverflowReaction, overflowFlavours, reactToOverflow } from "./overflow-flavours.ts";
import type { createPrefixCache } from "./prefix-cache.ts";
import { invalid, type Problem } from "./problem.ts";
import type { AnswerContext, Memory, Protocol, RequestView } from "./protocol.ts";
import type { Reply } from "./reply.ts";
import { encodeFrame, sendAnswer, sendProblem } from "./send-answer.ts";
import type { Script, SimulatedProtocol, SimulatorCounts, SimulatorOptions } from "./simulator.ts";
import type { Turn } from "./turn.ts";

/** What one simulator keeps between requests. */
export interface SimulatorState {
  options: SimulatorOptions;
  script: Script;
  readonly counts: SimulatorCounts;
  readonly memory: Memory;
  readonly prefixes: ReturnType<typeof createPrefixCache>;
  readonly faults: Fault[];
}

const ownFlavour: Readonly<Record<SimulatedProtocol, OverflowFlavour>> = {
  "openai-chat": "openai",
  "anthropic-messages": "anthropic",
  "openai-responses": "openai-responses",
};

/** Answers one request for a reply, a count or a compaction, the way the real provider would. */
export async function handleRequest(
  exchange: Exchange,
  state: SimulatorState,
  { protocol, purpose }: { readonly protocol: Protocol; readonly purpose: "reply" | "count" | "compact" },
): Promise<void> {
  const { counts, options } = state;
  const { recorded } = exchange;
  const index = counts.requests;
  if (purpose === "count") counts.countRequests += 1;
  else counts.requests += 1;
  const view = viewOf(exchange, state, purpose);
  const problem = "problem" in view ? view.problem : (protocol.validate(view) ?? checkModel(view));
  if (problem !== undefined || "problem" in view) {
    counts.invalid += 1;
    return sendProblem(exchange, protocol, problem ?? invalid("invalid"));
  }
  const pieces = protocol.pieces(view);
  const inputTokens = Math.ceil(pieces.reduce((sum, piece) => sum + piece.tokens, 0) * (options.countScale ?? 1));
  recorded.outcome.inputTokens = inputTokens;
  if (purpose === "count") return sendJson(exchange, 200, protocol.countBody(inputTokens), protocol.errorHeaders());

  const fault = state.faults.shift();
  const turn: Turn = { ...protocol.read(view), inputTokens, index };
  const output = protocol.outputLimit(view.body) ?? 0;
  const sizes = { input: inputTokens, output, window: options.window ?? Number.POSITIVE_INFINITY, model: turn.model };
  const flavour = options.flavour ?? ownFlavour[protocol.name];
  const reaction =
    fault?.kind === "overflow"
      ? overflowFlavours[flavour].react({ ...sizes, window: options.window ?? inputTokens - 1 })
      : reactToOverflow(flavour, sizes);
  const cachedTokens = Math.floor(state.prefixes.admit(pieces) * (options.countScale ?? 1));
  recorded.outcome.cachedTokens = cachedTokens;
  const context = {
    turn,
    id: `sim${String(index).padStart(5, "0")}`,
    inputTokens,
    cachedTokens,
    outputTokens: 0,
    memory: state.memory,
  };
  if (reaction !== undefined) {
    const refused = await sendOverflow(exchange, { protocol, reaction, context });
    if (refused) {
      counts.overflows += 1;
      recorded.outcome.overflow = true;
      return;
    }
    counts.truncated += 1;
  }
  if (purpose === "compact") {
    counts.answered += 1;
    return sendJson(exchange, 200, protocol.compactBody?.(context) ?? {}, protocol.errorHeaders());
  }
  const heard = reaction?.do === "truncate" ? truncate(turn, sizes.window) : turn;
  const reply = reaction?.do === "say-nothing" ? {} : await state.script(heard);
  const seen = {
    ...context,
    turn: heard,
    ...billed(options, Math.min(inputTokens, sizes.window), cachedTokens),
    outputTokens: countReply(reply),
  };
  recorded.outcome.outputTokens = seen.outputTokens;
  await deliver(exchange, state, { protocol, reply, context: seen, fault: fault ?? reply.fault });
}

function billed({ billing = "all" }: SimulatorState["options"], inputTokens: number, cachedTokens: number) {
  if (billing === "all") return { inputTokens, cachedTokens };
  return { inputTokens: Math.max(1, inputTokens - cachedTokens), cachedTokens: 0 };
}

async function deliver(
  exchange: Exchange,
  { counts }: SimulatorState,
  answer: {
    readonly protocol: Protocol;
    readonly reply: Reply;
    readonly context: AnswerContext;
    readonly fault: Fault | undefined;
  },
): Promise<void> {
  const { fault } = answer;
  if (fault !== undefined) {
    counts.faults += 1;
    exchange.recorded.outcome.fault = fault.kind;
    if (await sendFault(exchange, fault, answer.protocol)) return;
  }
  // Counted before the last byte leaves, so that a client that has it all also finds it counted.
  if (fault === undefined) counts.answered += 1;
  await sendAnswer(exchange, answer);
  if (fault === undefined && exchange.recorded.outcome.abortedAt !== undefined) counts.answered -= 1;
  if (fault?.kind === "extra-bytes") sendExtraBytes(exchange);
}

function viewOf(
  { recorded }: Exchange,
  { options, memory }: SimulatorState,
  purpose: RequestView["purpose"],
): RequestView | { readonly problem: Problem } {
  const limit = options.maxBodyBytes ?? 32 * 1024 * 1024;
  if (recorded.raw.length > limit) {
    return { problem: { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" } };
  }
  if (!isObject(recorded.body)) {
    return { problem: invalid("We could not parse the JSON body of your request: expected a JSON object.") };
  }
  return { headers: recorded.headers, body: recorded.body as JsonObject, options, memory, purpose };
}

function checkModel({ body, options }: RequestView): Problem | undefined {
  const model = String(body.model);
  if (options.models === undefined || options.models.includes(model)) return undefined;
  return {
    status: 404,
    type: "not_found_error",
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    code: "model_not_found",
  };
}

/** Returns false when the server, being what it is, carries on as if the request had fitted. */
async function sendOverflow(
  exchange: Exchange,
  {
    protocol,
    reaction,
    context,
  }: { readonly protocol: Protocol; readonly reaction: OverflowReaction; readonly context: AnswerContext },
): Promise<boolean> {
  switch (reaction.do) {
    case "refuse":
      await sendJson(exchange, reaction.status, reaction.body, protocol.errorHeaders());
      return true;
    case "fail-stream": {
      const problem = invalid(reaction.message, { code: reaction.code, param: "input" });
      if (!context.turn.stream) await sendProblem(exchange, protocol, problem);
      else {
        const [opening] = protocol.frames({}, context);
        const frames = [...(opening === undefined ? [] : [opening]), protocol.errorFrame(problem, context)];
        exchange.response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
        exchange.recorded.outcome.status = 200;
        exchange.response.end(frames.map((frame) => encodeFrame(frame)).join(""));
      }
      return true;
    }
    default:
      return false;
  }
}

/** Forgets messages from the head, as servers do that never say no. */
function truncate(turn: Turn, window: number): Turn {
  let tokens = turn.inputTokens;
  let from = 0;
  while (tokens > window && from < turn.messages.length - 1) {
    tokens -= 3 + countText(JSON.stringify(turn.messages[from]));
    from += 1;
  }
  return { ...turn, messages: turn.messages.slice(from) };
}

function countReply(reply: Reply): number {
  const thoughts = (reply.thoughts ?? []).reduce(
    (sum, thought) => sum + ("text" in thought ? countText(thought.text) : 40),
    0,
  );
  const calls = (reply.calls ?? []).reduce((sum, call) => sum + 8 + countText(JSON.stringify(call.input)), 0);
  return thoughts + calls + countText(reply.text ?? "");
}

/** Plays a fault that replaces the answer. Returns false for faults that strike while an answer is on its way. */
async function sendFault(exchange: Exchange, fault: Fault, protocol: Protocol): Promise<boolean> {
  switch (fault.kind) {
    case "silence":
      await untilGone(exchange);
      return true;
    case "delay":
      await pause(exchange, fault.delayMs);
      return exchange.gone.aborted;
    case "reset":
      if ((fault.afterFrames ?? 0) > 0) return false;
      reset(exchange);
      return true;
    case "status":
      await sendStatus(exchange, fault, protocol);
      return true;
    case "redirect":
      begin(exchange, 302, { location: fault.location });
      await finish(exchange);
      return true;
    case "html":
      begin(exchange, fault.status, { "content-type": "text/html" });
      await finish(exchange, "<!doctype html><html><body><h1>502 Bad Gateway</h1><hr>nginx/1.27.0</body></html>");
      return true;
    case "empty":
      begin(exchange, 200, { "content-type": "application/json", "content-length": "0" });
      await finish(exchange);
      return true;
    case "no-events":
      begin(exchange, 200, { "content-type": "text/event-stream" });
      await finish(exchange, ": nothing to say\n\n");
      return true;
    case "not-json":
      begin(exchange, 200, { "content-type": "application/json" });
      await finish(exchange, "upstream connect error or disconnect/reset before headers");
      return true;
    case "huge-line":
      await sendHugeLine(exchange, fault.bytes);
      return true;
    case "gzip-bomb":
      await sendBomb(exchange, fault.bytes, fault.layers ?? 1);
      return true;
    default:
      return false;
  }
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

async function sendStatus(exchange: Exchange, fault: Extract<Fault, { kind: "status" }>, protocol: Protocol) {
  if (fault.retryAfter !== undefined) exchange.response.setHeader("retry-after", fault.retryAfter);
  const message = fault.message ?? `Simulated failure ${fault.status}`;
  await sendProblem(exchange, protocol, { status: fault.status, type: types[fault.status] ?? "api_error", message });
}

async function sendHugeLine(exchange: Exchange, bytes: number): Promise<void> {
  begin(exchange, 200, { "content-type": "text/event-stream" });
  if (!(await write(exchange, "data: "))) return;
  const piece = Buffer.alloc(64 * 1024, "x");
  for (let left = bytes; left > 0; left -= piece.length) {
    if (!(await write(exchange, piece.subarray(0, Math.min(left, piece.length))))) return;
  }
  await finish(exchange, "\n\n");
}

async function sendBomb(exchange: Exchange, bytes: number, layers: number): Promise<void> {
  const encodings = Array.from({ length: layers }, () => "gzip").join(", ");
  begin(exchange, 200, { "content-type": "application/json", "content-encoding": encodings });
  const zeros = Buffer.alloc(256 * 1024);
  function* blank() {
    for (let left = bytes; left > 0; left -= zeros.length) yield zeros.subarray(0, Math.min(left, zeros.length));
  }
  const packers = Array.from({ length: layers }, () => createGzip());
  // The client may well hang up on it, which is the point.
  await pipeline([Readable.from(blank()), ...packers, exchange.response]).catch(() => undefined);
  exchange.recorded.outcome.finishedAt ??= performance.now();
}

/** A whole second response right behind the first one. */
function sendExtraBytes({ request }: Exchange): void {
  const body = JSON.stringify({ leaked: "this belongs to nobody" });
  request.socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
