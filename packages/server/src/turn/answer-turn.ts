import { isMidfoldError, MidfoldError, presets, type Warning } from "@midfold/core";
import { type AppliedEdit, applyContextEdits } from "@midfold/wire";
import { type Exchanged, exchange, sizeOf } from "../exchange/exchange.ts";
import type { Opened } from "../exchange/open-answer.ts";
import { countingError, resolveWindow, type Window } from "../exchange/window.ts";
import type { HttpReply } from "../http/http-message.ts";
import { replyJson } from "../http/reply-json.ts";
import { redactText } from "../observe/redact-text.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import { answerWithCompaction, mustCompactHere, refusedToCompact } from "./compact-turn.ts";
import { countTurn } from "./count-turn.ts";
import type { Ending } from "./ending.ts";
import { type FittedTurn, fitTurn, mayFold, unfolded } from "./fit-turn.ts";
import type { Gateway } from "./gateway.ts";
import { aboutHistory, goOnHere, keepAnswer } from "./go-on-here.ts";
import { gatherWhole, passBytes, relayStream, relayWhole, translateEvents } from "./relay.ts";
import { forwardedHeaders, reportFold } from "./report-headers.ts";
import type { Turn } from "./turn.ts";
import { type PreparedTurn, writeRequest } from "./write-request.ts";

/** What is known of a request once its answer has begun. */
export interface AnswerFacts extends Partial<RequestRecord> {
  readonly window: number;
  readonly windowSource: string;
}

export interface AnswerOptions {
  /** Called with facts for the request's record as they become known. */
  readonly note: (facts: Partial<RequestRecord>) => void;
  /** How the answer ended, written while it is relayed. */
  readonly ending: Ending;
  /** Called with what was sent, once the upstream began to answer. */
  readonly onSent: (sent: SentTurn) => void;
  readonly onEnd: () => void;
}

/** What learning from the bill needs to know of what was sent. */
export interface SentTurn {
  readonly turn: Turn;
  readonly bytes: number;
  readonly counted: number | undefined;
  /** As the fold weighed it, also where the record says what was billed instead. */
  readonly weighed: number | undefined;
  readonly folded: boolean;
}

type ExchangedTurn = Exchanged<FittedTurn, PreparedTurn>;

/** Folds if needed, sends, and turns the answer into the reply. */
export async function answerTurn(gateway: Gateway, received: Turn, options: AnswerOptions): Promise<HttpReply> {
  const { limits, calibrations } = gateway.exchange;
  const { tenant } = received.identity;
  const loading = limits.load(tenant);
  if (loading !== undefined) await loading;
  const ratios = calibrations.load(tenant);
  if (ratios !== undefined) await ratios;
  const decided = gateway.byHand.load(tenant);
  if (decided !== undefined) await decided;
  const { turn, applied, compact } = editContext(gateway, received);
  const { destination, identity, key, protocol, body } = turn;
  const window = resolveWindow(gateway.exchange, key, destination, protocol.body.maxOutputOf(body.value));
  options.note({ window: window.tokens, windowSource: window.source });
  if (mustCompactHere(turn)) return answerWithCompaction(gateway, turn, options);
  const folds = mayFold(gateway, turn);
  let foldMs = 0;
  const counter = gateway.counterFor(destination.countAs, identity);
  const error = countingError(calibrations, key, counter);
  let exchanged: ExchangedTurn;
  try {
    exchanged = await exchange<FittedTurn, PreparedTurn>(gateway.exchange, {
      key,
      destination,
      providerKey: identity.providerKey,
      stream: turn.stream,
      callerRetries: true,
      signal: turn.request.signal,
      window,
      // Refused without being asked, the upstream would never show how far the count is off.
      countIsGuess: !counter.exact && (calibrations.ratioOf(identity.tenant, destination.countAs)?.samples ?? 0) === 0,
      mayFold: folds,
      margin: (tokens) => destination.preset.safetyTokens + Math.ceil(tokens * error),
      count: () => countTurn(gateway, turn),
      fit: async (wish) => {
        if (!folds) return unfolded(gateway, turn, "off", 0);
        const startedAt = performance.now();
        try {
          const fitted = await fitTurn(gateway, turn, wish, compact !== undefined);
          gateway.keys.reserveTokens(identity, fitted.facts.tokensAfter + wish.window.reserve);
          return fitted;
        } finally {
          foldMs += performance.now() - startedAt;
        }
      },
      encode: (fitted, within, maxOutput) => {
        // Of an upstream that never answers, the record should say at least what it was sent.
        options.note(fitted.facts);
        return writeRequest(gateway, turn, fitted, folds ? within : undefined, maxOutput, applied);
      },
    });
  } catch (thrown) {
    if (!isMidfoldError(thrown, "CONTEXT_OVERFLOW")) throw thrown;
    const tokensBefore = await countTurn(gateway, turn);
    options.note({ outcome: "impossible", foldMs, tokensBefore, tokensAfter: tokensBefore, counted: true });
    throw overflowFor(turn, window, thrown, tokensBefore);
  }
  const whole = await goOnHere(gateway, turn, exchanged.opened);
  if (whole !== undefined) return answerTurn(gateway, whole, options);
  const facts = factsOf(turn, exchanged, foldMs, window.asked);
  options.note(facts);
  logFold(gateway, turn, facts);
  const { fitted, prepared } = exchanged;
  if (keptElsewhere(turn, exchanged).length > 0) {
    const about = { id: turn.request.id, upstream: key.upstream, model: key.model };
    gateway.log.warn(about, "the upstream keeps the conversation that is too long for it, so it cannot be folded here");
  }
  if (prepared.leftOut.length > 0) {
    gateway.log.warn({ id: turn.request.id, dropped: prepared.leftOut }, "parts of a conversation were left out");
  }
  options.onSent({
    turn,
    bytes: sizeOf(prepared.bytes),
    counted: fitted.counted ? fitted.tokens : undefined,
    weighed: fitted.weighed,
    folded: fitted.changed,
  });
  return replyTo(gateway, turn, exchanged, facts, options);
}

function factsOf(turn: Turn, exchanged: ExchangedTurn, foldMs: number, asked: number | undefined): AnswerFacts {
  const { fitted, window, attempts, firstSentAt, firstByteMs, refusals, refusedWithoutWords, maxOutput } = exchanged;
  return {
    ...fitted.facts,
    warnings: [
      ...(fitted.facts.warnings ?? []),
      ...loweredOutput(asked, maxOutput),
      ...retriedSmaller(exchanged),
      ...leftOut(exchanged),
      ...keptElsewhere(turn, exchanged),
      ...aboutHistory(turn, exchanged.opened),
    ],
    window: window.tokens,
    windowSource: window.source,
    foldMs,
    overheadMs: firstSentAt - turn.request.startedAt,
    upstreamAttempts: attempts,
    upstreamFirstByteMs: firstByteMs,
    overflowRetried: refusals > 0 || refusedWithoutWords !== undefined,
  };
}

/** Tells a client that asked for a longer answer than the window leaves that its limit was lowered. */
function loweredOutput(asked: number | undefined, sent: number | undefined): Warning[] {
  if (asked === undefined || sent === undefined || sent >= asked) return [];
  const message = `The request asked for an answer of up to ${asked} tokens; the window leaves ${sent}, which was sent instead.`;
  return [{ code: "output-limit-lowered", message, details: { asked, sent } }];
}

/** Tells that a request was folded although nothing said that it is too long, and that this helped. */
function retriedSmaller({ refusedWithoutWords: refused, fitted }: ExchangedTurn): Warning[] {
  if (refused === undefined) return [];
  const message = `The upstream refused the request of ${refused} tokens with status 400 and no reason; it took one folded to ${fitted.tokens}.`;
  return [{ code: "refused-without-words", message, details: { refused, sent: fitted.tokens } }];
}

/** Tells what the model did not get to see, for whoever wonders about its answer. */
function leftOut({ prepared: { leftOut: kinds } }: ExchangedTurn): Warning[] {
  if (kinds.length === 0) return [];
  const message = `Left out of the conversation, since the upstream's protocol has nothing like it or nobody here knows what it stands for: ${kinds.join(", ")}.`;
  return [{ code: "content-left-out", message, details: { kinds } }];
}

/** Tells why a conversation that is too long was not folded: only its end is in the request. */
function keptElsewhere({ protocol, body }: Turn, { opened }: ExchangedTurn): Warning[] {
  if (opened.kind !== "failed" || !isMidfoldError(opened.error, "UPSTREAM_OVERFLOW")) return [];
  const id = protocol.body.stored?.previousOf(body.value);
  if (id === undefined) return [];
  const message = `The upstream keeps the conversation up to ${id}, which is too long for it. It is not kept here, so it could not be folded: the client has to send it whole, or start anew.`;
  return [{ code: "kept-by-upstream", message, details: { previous: id } }];
}

function replyTo(
  gateway: Gateway,
  turn: Turn,
  exchanged: ExchangedTurn,
  facts: AnswerFacts,
  options: AnswerOptions,
): HttpReply | Promise<HttpReply> {
  const { opened, prepared } = exchanged;
  if (refusedToCompact(turn, opened)) return answerWithCompaction(gateway, turn, options);
  if (opened.kind === "failed") return replyFailure(turn, exchanged, opened, facts, options);
  const { ending, onEnd } = options;
  const headers = { ...forwardedHeaders(opened.response.headers), ...reportFold(facts) };
  if (prepared.dropped.length > 0) headers["x-midfold-dropped"] = [...new Set(prepared.dropped)].join(",");
  const { translation } = prepared;
  const onAnswer = (answer: unknown) => keepAnswer(gateway, turn, answer);
  const whole = { translation, headers, ending, onEnd, onAnswer };
  if (opened.kind === "whole") return relayWhole(turn, opened, whole);
  if (!turn.stream) return gatherWhole(opened, whole);
  const encoder = () => turn.protocol.createStreamEncoder(translation.reply);
  let kept: Promise<void> | undefined;
  const onFrames = (frames: string) => {
    const answer = turn.protocol.body.stored?.answerIn(frames);
    if (answer !== undefined) kept = onAnswer(answer);
  };
  const writer = turn.sameProtocol ? passBytes(encoder, onFrames) : translateEvents(encoder(), onFrames);
  const { pingMs } = gateway.settings;
  return relayStream(turn, opened.source, { writer, headers, ending, pingMs, onEnd, beforeEnd: () => kept });
}

/**
 * The upstream's error in its own words where the client uses the same protocol; otherwise in the client's protocol.
 */
function replyFailure(
  turn: Turn,
  exchanged: ExchangedTurn,
  { error, raw }: Extract<Opened, { kind: "failed" }>,
  facts: AnswerFacts,
  { ending, onEnd }: AnswerOptions,
): HttpReply {
  const overflows = isMidfoldError(error, "UPSTREAM_OVERFLOW");
  if (raw === undefined || !turn.sameProtocol || !isJsonObject(raw.text)) {
    throw overflows ? overflowFor(turn, exchanged.window, error, exchanged.fitted.tokens) : error;
  }
  ending.error = error;
  ending.refusedWith = raw.status;
  const headers = { ...forwardedHeaders(raw.headers), ...reportFold(facts) };
  // Providers quote the key they refuse; the client must not see a configured one.
  const body = turn.destination.passThrough ? raw.text : redactText(raw.text);
  return { ...replyJson(raw.status, undefined, headers), body, onEnd };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/**
 * The overflow error that clients recover from, with the upstream's figures, or ours where it gave none; followed by
 * what is in the way and which setting would allow the gateway to fold more.
 */
function overflowFor(turn: Turn, window: Window, error: MidfoldError, counted: number): MidfoldError {
  const stated = error.details as { readonly limit?: number; readonly input?: number; readonly output?: number };
  const limit = stated.limit !== undefined && stated.limit >= 256 ? stated.limit : window.tokens;
  const input = stated.input ?? Math.max(1, Math.round(counted));
  const output = input > limit ? undefined : (stated.output ?? window.asked ?? window.reserve);
  const canonical = turn.protocol.overflowError({ limit, input, ...(output === undefined ? {} : { output }) });
  const explanation =
    error.code === "CONTEXT_OVERFLOW"
      ? `Midfold could not fold it further: ${error.message}${advice(turn, error)}`
      : `The upstream still refused it after Midfold had made it as small as it may. It said: ${error.message}`;
  return new MidfoldError(canonical.code, canonical.message, {
    details: { ...error.details, ...canonical.details, explanation },
    cause: error,
  });
}

function advice({ destination: { preset, folding } }: Turn, { details }: MidfoldError): string {
  // If only the system prompt and the last message are left, no setting helps.
  if ((details as { readonly kept?: number } | undefined)?.kept === 0) return "";
  if (!folding || preset.scope === presets.agent.scope) return "";
  return " Set `tools: fold` or `preset: agent` for this route to let whole old tool exchanges be folded.";
}

/** Logs what the fold did, at INFO. */
function logFold(gateway: Gateway, turn: Turn, facts: AnswerFacts): void {
  const { outcome, tokensBefore = 0, tokensAfter = 0 } = facts;
  if (outcome !== "folded" && outcome !== "reused") return;
  gateway.log.info(
    {
      id: turn.request.id,
      fold: facts.foldId,
      outcome,
      originalTokens: tokensBefore,
      compressedTokens: tokensAfter,
      savedTokens: tokensBefore - tokensAfter,
      originalMessages: facts.messagesBefore,
      compressedMessages: facts.messagesAfter,
      budget: facts.budget,
      window: facts.window,
      windowSource: facts.windowSource,
      rungs: facts.plan?.rungs,
      foldMs: Math.round((facts.foldMs ?? 0) * 100) / 100,
    },
    "context compressed",
  );
}

interface EditedTurn {
  readonly turn: Turn;
  readonly applied: readonly AppliedEdit[];
  /** The client asked for a summary of everything so far, and its threshold is reached. */
  readonly compact: { readonly instructions?: string } | undefined;
}

/**
 * Makes the edits that a client asks its server for (`context_management`), where the upstream's protocol does not have
 * them. An upstream of the client's own protocol makes them itself.
 */
function editContext(gateway: Gateway, turn: Turn): EditedTurn {
  const untouched = { turn, applied: [], compact: undefined };
  const { protocol, body, destination, identity } = turn;
  // Looked for before the whole request is decoded: nearly none asks for it.
  const asked = protocol.body.fields.contextEdits;
  if (turn.sameProtocol || asked === undefined || body.value[asked] === undefined) return untouched;
  const { contextEdits, system, tools, toolChoice } = protocol.decodeRequest(body.value);
  if (contextEdits.length === 0) return untouched;
  const counter = gateway.counterFor(destination.countAs, identity);
  const messages = protocol.format.decode(protocol.body.messagesOf(body.value));
  const inputTokens = counter.countMessages([...system, ...messages]) + counter.countTools(tools, toolChoice);
  const edited = applyContextEdits(messages, contextEdits, {
    countMessage: (message) => counter.countMessage(message),
    inputTokens,
  });
  if (edited.messages === messages) return { turn, applied: edited.applied, compact: edited.compaction };
  const known = new Set(messages);
  const wire = edited.messages.map((message) =>
    known.has(message) ? message.source : protocol.format.encode(message),
  );
  const value = protocol.body.withMessages(body.value, wire) as Readonly<Record<string, unknown>>;
  return {
    turn: { ...turn, body: { ...body, value, edited: true } },
    applied: edited.applied,
    compact: edited.compaction,
  };
}
