import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { RequestBody } from "@midfold/wire";
import { afterRefusal } from "./after-refusal.ts";
import { type Ask, type ExchangeTools, type Fitted, fitTight, outputFor, type Prepared, type Sent } from "./ask.ts";
import { type Opened, openAnswer } from "./open-answer.ts";
import { tightWindow, type Window } from "./window.ts";

/** What the exchange came to: the facts of it, and the answer to read on. */
export interface Exchanged<TFitted extends Fitted, TPrepared extends Prepared> extends Sent<TFitted, TPrepared> {
  /** Milliseconds of the monotonic clock when the first request went out. */
  readonly firstSentAt: number;
  /** Requests that the upstream refused as too long before this one. */
  readonly refusals: number;
}

/** After this many refusals the upstream's own words go to the client. */
const mostRefusals = 2;

/**
 * One request to a model: fits the conversation to the window, sends it, and opens the answer. When the upstream refuses
 * it as too long, its figures are learned and a smaller request follows, at most twice and never the same bytes again.
 */
export async function exchange<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
): Promise<Exchanged<TFitted, TPrepared>> {
  const { fitted, window } = await firstFit(ask);
  let sent = await send(tools, ask, { fitted, window, maxOutput: outputFor(ask, fitted, window) });
  const firstSentAt = sent.sentAt;
  let attempts = sent.attempts;
  let refusals = 0;
  sent = { ...sent, opened: await confirm(ask, sent) };
  while (ask.mayFold && refusals < mostRefusals && isRefusal(sent.opened)) {
    const next = await afterRefusal(tools, ask, sent);
    if (next === undefined) break;
    refusals += 1;
    const prepared = ask.encode(next.fitted, next.window, next.maxOutput);
    if (sameBytes(prepared.bytes, sent.prepared.bytes)) break;
    sent = await send(tools, ask, next);
    attempts += sent.attempts;
    if (sent.opened.kind !== "failed") next.onAccepted();
  }
  return { ...sent, attempts, firstSentAt, refusals };
}

/**
 * Fits for a comfortable answer; where even the smallest form does not leave room for one, for a short answer and without
 * the margin for counting errors: a window that is nearly full is better than a client that has to stop. A window that is
 * only a guess, or was learned, may be wrong: then the upstream has the last word.
 */
async function firstFit<TFitted extends Fitted, TPrepared extends Prepared>({
  window,
  fit,
}: Ask<TFitted, TPrepared>): Promise<{ readonly fitted: TFitted; readonly window: Window }> {
  try {
    return { fitted: await fit({ window }), window };
  } catch (thrown) {
    if (!isMidfoldError(thrown, "CONTEXT_OVERFLOW")) throw thrown;
    const tight = tightWindow(window);
    const fitted = await fitTight(fit, tight);
    if (fitted !== undefined) return { fitted, window: tight };
    if (window.source !== "guess" && window.source !== "learned") throw thrown;
    return { fitted: await fit({ window, asItIs: true }), window };
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
      // One caller's trouble with one model must not keep others from asking.
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
    maxOutput: what.maxOutput,
    prepared,
    opened,
    sentAt,
    firstByteMs,
  };
  const { upstream } = destination;
  if (!refusesStreamUsage(ask, opened) || tools.quirks.refusesStreamUsage(upstream)) {
    return { ...sent, attempts: response.attempts };
  }
  tools.quirks.noteStreamUsageRefused(upstream);
  const again = await send(tools, ask, what);
  return { ...again, sentAt, attempts: again.attempts + response.attempts };
}

/** Whether the upstream refused the request for asking for its usage at the end of the stream. */
function refusesStreamUsage(
  { destination, stream }: Pick<Ask<Fitted, Prepared>, "destination" | "stream">,
  opened: Opened,
): boolean {
  const field = destination.protocol.body.fields.streamUsage;
  if (!stream || field === undefined || opened.kind !== "failed" || opened.raw === undefined) return false;
  return (opened.raw.status === 400 || opened.raw.status === 422) && opened.raw.text.includes(field);
}

/** How far our count may be from the upstream's for the two to be about the same request. */
const nearShare = 0.3;

/** Two numbers in a refusal nobody has met before mean an overflow only when one of them is about what was sent. */
async function confirm<TFitted extends Fitted, TPrepared extends Prepared>(
  ask: Ask<TFitted, TPrepared>,
  { opened, fitted, maxOutput, window }: Sent<TFitted, TPrepared>,
): Promise<Opened> {
  if (opened.kind !== "failed" || opened.error.details.unconfirmed !== true) return opened;
  const { error } = opened;
  const ours = fitted.counted ? fitted.tokens : await ask.count();
  const sizes = [ours, ours + (maxOutput ?? window.asked ?? 0)];
  const stated = Number(error.details.input);
  if (sizes.some((size) => Math.abs(stated - size) <= size * nearShare)) return opened;
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
