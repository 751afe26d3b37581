import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { RequestBody } from "@midfold/wire";
import { afterRefusal, afterWordlessRefusal } from "./after-refusal.ts";
import { type Ask, type ExchangeTools, type Fitted, type FitWish, outputFor, type Prepared, type Sent } from "./ask.ts";
import { type Opened, openAnswer } from "./open-answer.ts";
import { tightWindow, type Window } from "./window.ts";

/** What the exchange came to: the facts of it, and the answer to read on. */
export interface Exchanged<TFitted extends Fitted, TPrepared extends Prepared> extends Sent<TFitted, TPrepared> {
  /** Milliseconds of the monotonic clock when the first request went out. */
  readonly firstSentAt: number;
  /** Requests that the upstream refused as too long before this one. */
  readonly refusals: number;
  /** Tokens of a request that was refused with a 400 and no reason, where this smaller one was taken. */
  readonly refusedWithoutWords?: number | undefined;
}

/** After this many refusals the upstream's own error is sent to the client. */
const mostRefusals = 2;

/**
 * One request to a model: fits the conversation to the window, sends it, and opens the answer. If the upstream refuses
 * it as too long, its figures are learned and a smaller request is sent, at most twice and never the same bytes again.
 * A large request that is refused without a reason is tried once much smaller.
 */
export async function exchange<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
): Promise<Exchanged<TFitted, TPrepared>> {
  const { fitted, window } = await firstFit(ask);
  const first = await send(tools, ask, { fitted, window, maxOutput: outputFor(ask, fitted, window) });
  const firstSentAt = first.sentAt;
  let sent = await keepAnswerLimit(tools, ask, first);
  let attempts = sent === first ? first.attempts : first.attempts + sent.attempts;
  const smaller = await trySmaller(tools, ask, sent);
  attempts += smaller?.attempts ?? 0;
  if (smaller?.taken !== undefined) {
    return { ...smaller.taken, attempts, firstSentAt, refusals: 0, refusedWithoutWords: smaller.refused };
  }
  let refusals = 0;
  while (ask.mayFold && refusals < mostRefusals && isRefusal(sent.opened)) {
    const found = await afterRefusal(tools, ask, sent, refusals > 0);
    if (found === undefined) break;
    // What was too long is never sent with more room for the answer.
    const maxOutput = Math.min(found.maxOutput ?? Number.POSITIVE_INFINITY, sent.maxOutput ?? Number.POSITIVE_INFINITY);
    const next = { ...found, maxOutput: Number.isFinite(maxOutput) ? maxOutput : undefined };
    refusals += 1;
    const prepared = ask.encode(next.fitted, next.window, next.maxOutput);
    if (sameBytes(prepared.bytes, sent.prepared.bytes)) break;
    sent = await send(tools, ask, next);
    attempts += sent.attempts;
    if (sent.opened.kind !== "failed") next.onAccepted();
  }
  return { ...sent, attempts, firstSentAt, refusals };
}

/** A count that is a guess is at most this many times the upstream's. */
const largestMiscount = 2;

/** What stays free in a window with room for a short answer only, beside that answer. */
const tightMargin = 100;

/**
 * Fits with room for a comfortable answer. If that room is what keeps the newest exchange out, or if even the smallest
 * form leaves no such room, with room for a short answer and without the margin for counting errors: a nearly full
 * window is better than a client that has to stop, or a model that never sees what it asked for. An exchange too large
 * for either is clipped. Folding is the long part of a request, so no size is folded to twice.
 * A window that is guessed or learned may be wrong, and so may a count: then the upstream decides.
 */
async function firstFit<TFitted extends Fitted, TPrepared extends Prepared>(
  ask: Ask<TFitted, TPrepared>,
): Promise<{ readonly fitted: TFitted; readonly window: Window }> {
  const { window, countIsGuess, fit } = ask;
  const comfortable = await tryFit(ask, { window, provisional: true });
  if (comfortable.fitted !== undefined && comfortable.fitted.provisional === undefined) {
    return { fitted: comfortable.fitted, window };
  }
  const short = tightWindow(window);
  const budget = short.tokens - short.reserve - tightMargin;
  const tight = budget > 0 ? await tryFit(ask, { window: short, budget, provisional: true }) : undefined;
  const chosen =
    tight?.fitted !== undefined && (tight.fitted.provisional === undefined || !showsNewest(comfortable.fitted))
      ? { fitted: tight.fitted, window: short }
      : showsNewest(comfortable.fitted)
        ? { fitted: comfortable.fitted, window }
        : undefined;
  if (chosen !== undefined) {
    await chosen.fitted.provisional?.keep();
    return chosen;
  }
  const error = comfortable.overflow ?? noRoom();
  const mayBeWrong = window.source === "guess" || window.source === "learned";
  const needed = Number(error.details.needed);
  if (!mayBeWrong && !(countIsGuess === true && needed <= window.tokens * largestMiscount)) throw error;
  return { fitted: await fit({ window, asItIs: true }), window };
}

type Tried<TFitted extends Fitted> =
  | { readonly fitted: TFitted; readonly overflow?: never }
  | { readonly fitted?: never; readonly overflow: MidfoldError };

async function tryFit<TFitted extends Fitted>(
  { fit }: { fit(wish: FitWish): Promise<TFitted> },
  wish: FitWish,
): Promise<Tried<TFitted>> {
  try {
    return { fitted: await fit(wish) };
  } catch (thrown) {
    if (!isMidfoldError(thrown, "CONTEXT_OVERFLOW")) throw thrown;
    return { overflow: thrown };
  }
}

/** Whether the model sees at least a part of what it is to go on from. */
function showsNewest<TFitted extends Fitted>(fitted: TFitted | undefined): fitted is TFitted {
  return fitted !== undefined && fitted.provisional?.newest !== "none";
}

const noRoom = () =>
  new MidfoldError("CONTEXT_OVERFLOW", "There is no room for the newest messages beside the answer.");

/**
 * A server that gives shorter answers than the client asks for refuses the request whatever its size, and clients such
 * as Claude Code always ask for the same: it is sent once more with the limit the server names, which is learned.
 */
async function keepAnswerLimit<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
  sent: Sent<TFitted, TPrepared>,
): Promise<Sent<TFitted, TPrepared>> {
  if (!ask.mayFold || sent.opened.kind !== "failed") return sent;
  const { error } = sent.opened;
  const { answerLimit } = error.details;
  if (typeof answerLimit !== "number") return sent;
  const asked = sent.maxOutput ?? ask.window.asked ?? Number.POSITIVE_INFINITY;
  if (answerLimit >= asked) return sent;
  const again = await send(tools, ask, { fitted: sent.fitted, window: sent.window, maxOutput: answerLimit });
  if (again.opened.kind !== "failed") {
    const evidence = `The upstream gives answers of at most ${answerLimit} tokens: "${error.message.slice(0, 200)}"`;
    tools.limits.learnAnswer(ask.key, answerLimit, evidence);
  }
  return again;
}

/** What came of one much smaller request after a 400 without a reason; `taken` only where it was answered. */
async function trySmaller<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
  sent: Sent<TFitted, TPrepared>,
): Promise<
  { readonly refused: number; readonly attempts: number; readonly taken?: Sent<TFitted, TPrepared> } | undefined
> {
  const next = await afterWordlessRefusal(tools, ask, sent);
  if (next === undefined) return undefined;
  const { refused } = next;
  const prepared = ask.encode(next.fitted, next.window, next.maxOutput);
  if (sameBytes(prepared.bytes, sent.prepared.bytes)) return undefined;
  try {
    const taken = await send(tools, ask, next);
    if (taken.opened.kind === "failed") return { refused, attempts: taken.attempts };
    next.onAccepted();
    return { refused, attempts: taken.attempts, taken };
  } catch (thrown) {
    // The upstream's first answer is still there to be told, unless nobody is left to hear it.
    if (!isMidfoldError(thrown) || thrown.code === "ABORTED") throw thrown;
    return { refused, attempts: 1 };
  }
}

async function send<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
  what: Pick<Sent<TFitted, TPrepared>, "fitted" | "window" | "maxOutput">,
): Promise<Sent<TFitted, TPrepared>> {
  const { destination, signal } = ask;
  const prepared = ask.encode(what.fitted, what.window, what.maxOutput);
  const sentAt = performance.now();
  const response = await destination.send(
    {
      method: "POST",
      path: destination.path,
      query: prepared.query ?? "",
      headers: { ...prepared.headers, "content-type": "application/json" },
      body: prepared.bytes,
      signal,
      expects: ["application/json", "text/event-stream"],
      retryAnswers: !ask.callerRetries,
      // Failures of one caller with one model must not stop other callers' requests.
      circuit: `${ask.key.tenant}\n${ask.key.model}`,
    },
    ask.providerKey,
  );
  const firstByteMs = performance.now() - sentAt;
  const opening = openAnswer(destination, response, prepared.createDecoder);
  const opened = opening instanceof Promise ? await opening : opening;
  const sent = {
    fitted: what.fitted,
    window: what.window,
    maxOutput: prepared.maxOutput ?? what.maxOutput,
    prepared,
    opened,
    sentAt,
    firstByteMs,
  };
  const { upstream } = destination;
  if (!refusesStreamUsage(ask, opened) || tools.quirks.refusesStreamUsage(upstream)) {
    return { ...sent, opened: await confirm(ask, sent), attempts: response.attempts };
  }
  tools.quirks.noteStreamUsageRefused(upstream);
  const again = await send(tools, ask, what);
  return { ...again, sentAt, attempts: again.attempts + response.attempts };
}

/** Whether the upstream refused the request because it asked for usage at the end of the stream. */
function refusesStreamUsage(
  { destination, stream }: Pick<Ask<Fitted, Prepared>, "destination" | "stream">,
  opened: Opened,
): boolean {
  const field = destination.protocol.body.fields.streamUsage;
  if (!stream || field === undefined || opened.kind !== "failed" || opened.raw === undefined) return false;
  return (opened.raw.status === 400 || opened.raw.status === 422) && opened.raw.text.includes(field);
}

/** How much our count may differ from the upstream's for both to be about the same request. */
const nearShare = 0.3;

/** Two numbers in an unknown error mean an overflow only when one of them is close to what was sent. */
async function confirm<TFitted extends Fitted, TPrepared extends Prepared>(
  ask: Ask<TFitted, TPrepared>,
  { opened, fitted, maxOutput, window }: Omit<Sent<TFitted, TPrepared>, "attempts">,
): Promise<Opened> {
  if (opened.kind !== "failed" || opened.error.details.unconfirmed !== true) return opened;
  const { error } = opened;
  const ours = fitted.counted ? fitted.tokens : await ask.count();
  const output = maxOutput ?? window.asked ?? 0;
  const sizes = [ours, ours + output];
  const stated = Number(error.details.input);
  // A number that is the limit on the answer, to the token, is about the answer.
  if (stated !== output && sizes.some((size) => Math.abs(stated - size) <= size * nearShare)) return opened;
  const { limit: _, input: __, unconfirmed: ___, ...details } = error.details;
  return { ...opened, error: new MidfoldError("UPSTREAM_REJECTED", error.message, { details, status: 400 }) };
}

const isRefusal = (opened: Opened): boolean =>
  opened.kind === "failed" && isMidfoldError(opened.error, "UPSTREAM_OVERFLOW");

function sameBytes(a: RequestBody, b: RequestBody): boolean {
  return Buffer.compare(bufferOf(a), bufferOf(b)) === 0;
}

function bufferOf(body: RequestBody): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(body);
}

/** How many bytes a body has. */
export function sizeOf(body: RequestBody): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.byteLength;
  return body.reduce((sum, piece) => sum + piece.byteLength, 0);
}
