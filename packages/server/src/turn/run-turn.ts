import { isMidfoldError, MidfoldError, type ModelPrices } from "@midfold/core";
import { type Protocol, sseHeaders } from "@midfold/wire";
import { correctCounts, learnFromBill } from "../exchange/learn-from-bill.ts";
import type { Identity } from "../guard/identity.ts";
import { type HttpReply, headerOf, type InboundHeaders, type InboundRequest } from "../http/http-message.ts";
import { startTurnSpan, type TurnSpan } from "../observe/turn-span.ts";
import { type RequestRecord, startRecord } from "../requests/request-record.ts";
import { toMidfoldError } from "../routing/create-site.ts";
import { type AnswerOptions, answerTurn, type SentTurn } from "./answer-turn.ts";
import { countTurn } from "./count-turn.ts";
import type { Ending } from "./ending.ts";
import type { Gateway } from "./gateway.ts";
import { receiveTurn, sessionOf } from "./receive-turn.ts";
import { reportFold } from "./report-headers.ts";
import type { Turn } from "./turn.ts";
import { answerContext } from "./write-request.ts";

/**
 * One request for an answer, from its first byte to its last. Rejects with the error for the client. The steps return
 * facts; only this file writes them into the request's record.
 */
export async function runTurn(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  protocol: Protocol,
): Promise<HttpReply> {
  const record = openRecord(gateway, request, identity, protocol);
  const note = (facts: Partial<RequestRecord>) => void Object.assign(record, facts);
  const ending: Ending = gateway.settings.capture ? { said: "" } : {};
  let span: TurnSpan | undefined;
  let release = () => {};
  let sent: SentTurn | undefined;
  let finished = false;
  const onEnd = () => {
    if (finished) return;
    finished = true;
    release();
    note(endingFacts(ending, record.status));
    if (record.content !== undefined && ending.said !== undefined) {
      note({ content: { ...record.content, answer: ending.said.trimStart() } });
    }
    if (sent !== undefined) {
      note(learn(gateway, sent, record));
      noteAnswer(gateway, sent, record);
      if (record.state === "done") gateway.prepareSummary(sent.turn, record);
    }
    finish(gateway, record, span, request.startedAt);
  };
  let turn: Turn | undefined;
  try {
    const received = await receiveTurn(gateway, request, identity, protocol, ({ model, stream }) =>
      note({ requestedModel: model, stream }),
    );
    release = received.release;
    turn = received.turn;
    note({
      model: turn.destination.model,
      upstream: turn.destination.upstream,
      conversationId: turn.conversation,
      compactionRequest: turn.compacting,
    });
    span = startTurnSpan(record);
    gateway.requests.start(record);
    const onSent = (what: SentTurn) => {
      sent = what;
    };
    return await answerOnce(gateway, turn, { note, ending, onSent, onEnd });
  } catch (thrown) {
    const error =
      request.signal.aborted && !isMidfoldError(thrown) ? abortReason(request.signal) : toMidfoldError(thrown);
    ending.error = error;
    if (turn !== undefined && isOverflow(error) && turn.stream && protocol.failsInStream === true) {
      return failInStream(turn, error, record, onEnd);
    }
    onEnd();
    throw error;
  }
}

/** Begins the record of a request before anything can fail. */
function openRecord(gateway: Gateway, request: InboundRequest, identity: Identity, protocol: Protocol): RequestRecord {
  const record = startRecord({
    id: request.id,
    at: gateway.now(),
    tenant: identity.tenant,
    keyId: identity.keyId,
    keyName: identity.keyName,
    client: clientName(request.headers),
    protocol: protocol.name,
    path: request.path,
  });
  record.sessionId = sessionOf(request.headers);
  return record;
}

/** The client program as it names itself: the first product of its user agent. */
function clientName(headers: InboundHeaders): string {
  const agent = headerOf(headers, "user-agent") ?? "";
  const product = /^[\w.@/ -]{1,40}?(?=\/[\dv]|\s|$)/.exec(agent)?.[0];
  return product === undefined || product === "" ? "unknown" : product.toLowerCase();
}

/** The answer, and the same one again for whoever repeats the request with its idempotency key. */
function answerOnce(gateway: Gateway, turn: Turn, options: AnswerOptions): Promise<HttpReply> {
  const { ending, onEnd } = options;
  const answer = () => {
    const work = answerTurn(gateway, turn, options);
    return turn.stream ? replyWithKeepAlives(turn, work, { pingMs: gateway.settings.pingMs, ending, onEnd }) : work;
  };
  const key = headerOf(turn.request.headers, "idempotency-key");
  if (key === undefined) return answer();
  const scoped = `${turn.identity.tenant}\n${turn.request.path}\n${key}`;
  return gateway.repeats
    .once({ key: scoped, body: turn.body.bytes, work: answer, endedWell: () => ending.error === undefined })
    .then((reply) => (reply.onEnd === undefined ? { ...reply, onEnd } : reply));
}

const isOverflow = (error: MidfoldError) => error.code === "CONTEXT_OVERFLOW" || error.code === "UPSTREAM_OVERFLOW";

/** Some clients read what went wrong from the stream alone. */
function failInStream(turn: Turn, error: MidfoldError, record: RequestRecord, onEnd: () => void): HttpReply {
  const body = turn.protocol.createStreamEncoder(answerContext(turn)).push({ type: "error", error });
  return { status: 200, headers: { ...sseHeaders, ...reportFold(record) }, body, onEnd };
}

function abortReason(signal: AbortSignal): MidfoldError {
  return isMidfoldError(signal.reason) ? signal.reason : new MidfoldError("ABORTED", "The client left.");
}

function endingFacts({ usage, error, status, refusedWith }: Ending, before: number): Partial<RequestRecord> {
  if (error === undefined) return { state: "done", status: status ?? before, usage };
  return {
    state: error.code === "ABORTED" ? "cancelled" : "failed",
    status: refusedWith ?? error.status,
    errorCode: error.code,
    errorMessage: error.message,
    usage,
  };
}

/** More bytes to a token than any ordinary text has. */
const suspiciousBytes = 8;
/** Requests that fitted uncounted are counted after the fact until the estimate has settled, then now and then. */
const settledSamples = 8;
const thenEvery = 16;

/** After an answer: its cost, and what is learned from the bill. */
function learn(gateway: Gateway, sent: SentTurn, record: RequestRecord): Partial<RequestRecord> {
  const { turn, bytes, counted } = sent;
  const { destination, key, identity } = turn;
  const { usage } = record;
  if (record.state !== "done" || usage === undefined || usage.input === 0 || record.outcome === "off") {
    return priceOf(record, destination.info.prices);
  }
  const { countAs } = destination;
  const { windowIsStated } = destination;
  const billed = { key, countAs, conversation: turn.conversation, bytes, counted, usage, windowIsStated };
  const { read, trusted, warning } = learnFromBill(gateway.exchange, billed);
  const asBilled = counted === undefined && !sent.folded;
  const { tokensBefore, tokensAfter } = asBilled ? { tokensBefore: usage.input, tokensAfter: usage.input } : record;
  if (asBilled && trusted && sent.weighed !== undefined) {
    // The margin for our error is what a long conversation may not use: it must be known before the first fold.
    correctCounts(gateway.exchange, billed, sent.weighed, read);
  } else if (asBilled && trusted && isWorthCounting()) {
    // Runs after the reply; nobody waits for it.
    void countTurn(gateway, turn).then(
      (ours) => correctCounts(gateway.exchange, billed, ours, read),
      (err: unknown) =>
        gateway.log.debug({ id: record.id, err }, "the tokens of a finished request could not be counted"),
    );
  }
  return {
    tokensBefore,
    tokensAfter,
    ...priceOf({ ...record, usage, tokensBefore, tokensAfter }, destination.info.prices),
    ...(warning === undefined ? {} : { warnings: [...record.warnings, warning] }),
  };

  /** Whether the size of an uncounted request would teach something. */
  function isWorthCounting(): boolean {
    if (read * suspiciousBytes < bytes && turn.bounded) return true;
    if (gateway.counterFor(countAs, identity).exact) return false;
    const samples = gateway.exchange.calibrations.ratioOf(identity.tenant, countAs)?.samples ?? 0;
    // One in so many, by the request's random id.
    return samples < settledSamples || record.id.charCodeAt(record.id.length - 1) % thenEvery === 0;
  }
}

/** The provider has cached the conversation until now, also where the client left before the end. */
function noteAnswer({ exchange, now }: Gateway, { turn }: SentTurn, { state }: RequestRecord): void {
  const { key, conversation } = turn;
  if (state === "failed" || conversation === undefined) return;
  exchange.lastAnswers.note(key, conversation, now());
}

/** Writes a turn's log line, metrics, span and request log. Called exactly once per turn. */
function finish(gateway: Gateway, record: RequestRecord, span: TurnSpan | undefined, startedAt: number): void {
  record.totalMs = performance.now() - startedAt;
  gateway.metrics.turn(record);
  span?.end(record);
  gateway.requests.end(record);
  if (!gateway.log.isLevelEnabled("info")) return;
  const facts = {
    id: record.id,
    keyId: record.keyId,
    client: record.client,
    protocol: record.protocol,
    model: record.model,
    upstream: record.upstream,
    stream: record.stream,
    status: record.status,
    state: record.state,
    code: record.errorCode,
    fold: record.outcome,
    input: record.usage?.input,
    output: record.usage?.output,
    ms: Math.round(record.totalMs),
    overheadMs: Math.round(record.overheadMs * 100) / 100,
  };
  if (record.state === "failed" && record.status >= 500) {
    gateway.log.warn({ ...facts, error: record.errorMessage }, "request failed");
  } else gateway.requestLines.info(facts, "request");
}

interface KeepAliveOptions {
  readonly pingMs: number;
  readonly ending: Ending;
  readonly onEnd: () => void;
}

/**
 * The reply to a stream request, begun early when the answer takes long: from then on the client gets pings, and an
 * error arrives as the protocol's error event instead of a status.
 */
async function replyWithKeepAlives(
  turn: Turn,
  work: Promise<HttpReply>,
  options: KeepAliveOptions,
): Promise<HttpReply> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), options.pingMs);
  });
  try {
    const reply = await Promise.race([work, silence]);
    if (reply !== undefined) return reply;
  } finally {
    clearTimeout(timer);
  }
  return { status: 200, headers: { ...sseHeaders }, body: pingUntil(turn, work, options), onEnd: options.onEnd };
}

async function* pingUntil(
  turn: Turn,
  work: Promise<HttpReply>,
  { pingMs, ending }: KeepAliveOptions,
): AsyncGenerator<Uint8Array | string> {
  const settled = work.then(
    (reply) => ({ reply }),
    (thrown: unknown) => ({ error: toMidfoldError(thrown) }),
  );
  for (;;) {
    yield turn.protocol.keepAlive;
    let timer: NodeJS.Timeout | undefined;
    const outcome = await Promise.race([
      settled,
      new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), pingMs);
      }),
    ]);
    clearTimeout(timer);
    if (outcome === undefined) continue;
    if ("reply" in outcome) {
      const { body } = outcome.reply;
      if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
        if (body !== undefined) yield body;
      } else yield* body;
      return;
    }
    ending.error = outcome.error;
    if (outcome.error.code !== "ABORTED") {
      yield turn.protocol.createStreamEncoder(answerContext(turn)).push({ type: "error", error: outcome.error });
    }
    return;
  }
}

type Priced = Pick<RequestRecord, "costMicros" | "savedMicros" | "savedCachedMicros" | "rewriteMicros">;

/** What a request cost and saved, where prices are known. Dollars per million tokens are millionths per token. */
export function priceOf(
  record: Pick<RequestRecord, "usage" | "tokensBefore" | "tokensAfter" | "outcome" | "cacheIsCold">,
  prices: ModelPrices,
): Partial<Priced> {
  const { usage } = record;
  const { input, output } = prices;
  if (usage === undefined || input === undefined || output === undefined) return {};
  const cached = Math.min(usage.cached, usage.input);
  const written = Math.min(usage.cacheWrite, usage.input - cached);
  const fresh = usage.input - cached - written;
  const cachedPrice = prices.cacheRead ?? input;
  const writePrice = prices.cacheWrite ?? input;
  const saved = Math.max(0, record.tokensBefore - record.tokensAfter);
  return {
    costMicros: fresh * input + cached * cachedPrice + written * writePrice + usage.output * output,
    savedMicros: saved * input,
    savedCachedMicros: saved * (record.cacheIsCold === true ? input : cachedPrice),
    // A new fold changes the prefix: without it, what was not read from the cache now would have been, had it been there.
    rewriteMicros:
      record.outcome === "folded" && record.cacheIsCold !== true
        ? Math.max(0, fresh * (input - cachedPrice) + written * (writePrice - cachedPrice))
        : 0,
  };
}
