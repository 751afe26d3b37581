import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { RequestBody } from "@midfold/wire";
import { type Ask, type ExchangeTools, type Fitted, fitTight, outputFor, type Prepared, type Sent } from "./ask.ts";
import { type Opened, openAnswer } from "./open-answer.ts";
import { shortestReply, tightWindow, type Window } from "./window.ts";

/** What the exchange came to: the facts of it, and the answer to read on. */
export interface Exchanged<TFitted extends Fitted, TPrepared extends Prepared> extends Sent<TFitted, TPrepared> {
  /** Milliseconds of the monotonic clock when the first request went out. */
  readonly firstSentAt: number;
  /** Requests that the upstream refused as too long before this one. */
  readonly refusals: number;
}

/** After this many refusals the upstream's own error is sent to the client. */
const mostRefusals = 2;

/**
 * One request to a model: fits the conversation to the window, sends it, and opens the answer. If the upstream refuses
 * it as too long, its figures are learned and a smaller request is sent, at most twice and never the same bytes again.
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
    const found = await afterRefusal(tools, ask, sent);
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

/**
 * Fits with room for a comfortable answer; if even the smallest form leaves no such room, with room for a short answer
 * and without the margin for counting errors, since a nearly full window is better than a client that has to stop. A
 * window that is guessed or learned may be wrong: then the upstream decides.
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
    return { ...sent, attempts: response.attempts };
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

/** The next thing to send. */
interface NextTry<TFitted extends Fitted> {
  readonly fitted: TFitted;
  readonly window: Window;
  readonly maxOutput: number | undefined;
  /** Called when the upstream takes it. */
  onAccepted(): void;
}

/** Sizes as the upstream stated them. */
interface Sizes {
  readonly limit?: number;
  readonly input?: number;
  readonly output?: number;
  readonly requested?: number;
}

/** The next try is this much below the stated limit, since counts that were off once may be off again. */
const caution = 0.97;
/** Without any figure, the next try is this share of what was refused. */
const guessShare = 0.75;
/** The largest plausible factor between two tokenizers. */
const largestRatio = 4;

/**
 * What to send after the upstream refused a request as too long. Its figures override ours. First the limit on the
 * answer is lowered, if the input itself fits; then the conversation is folded to what the figures leave; then with
 * room for a short answer only. Undefined when nothing is left to try.
 */
async function afterRefusal<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
  sent: Sent<TFitted, TPrepared>,
): Promise<NextTry<TFitted> | undefined> {
  if (sent.opened.kind !== "failed") return undefined;
  const { error } = sent.opened;
  const { window, fitted } = sent;
  const ours = fitted.counted ? fitted.tokens : await ask.count();
  const sizes = readSizes(error.details as Sizes, sent);
  const { limit, input: theirs } = sizes;
  if (theirs !== undefined) tools.calibrations.compare(ask.key, ours, theirs);
  if (limit === undefined) return withoutFigures(tools, ask, sent, ours);

  const evidence = `The upstream refused a request of ${theirs ?? ours} tokens and named a limit of ${limit}: "${error.message.slice(0, 200)}"`;
  if (window.source === "route") {
    if (limit < window.tokens) {
      tools.log.warn(
        { ...ask.key, limit, configured: window.tokens },
        "the upstream's window is smaller than the configured one",
      );
    }
  } else if (limit !== window.tokens) tools.limits.learnStated(ask.key, limit, evidence);

  const narrowed: Window = {
    ...window,
    tokens: limit,
    source: limit === window.tokens ? window.source : "learned",
    reserve: Math.min(window.reserve, Math.floor(limit / 2)),
  };
  const input = theirs ?? Math.ceil(ours * 1.03);
  const room = limit - input - Math.max(16, Math.ceil(input * 0.004));
  const allowed = sent.maxOutput ?? window.asked;
  if (room >= Math.min(shortestReply, allowed ?? shortestReply) && room < (allowed ?? Number.POSITIVE_INFINITY)) {
    return { fitted, window: narrowed, maxOutput: room, onAccepted: () => undefined };
  }
  const ratio = theirs === undefined ? 1 : Math.min(largestRatio, Math.max(1, theirs / Math.max(1, ours)));
  const budgetOf = (reserve: number) =>
    Math.min(ours, Math.floor(((limit - reserve - ask.margin(0)) / ratio) * caution));
  return foldTo(ask, narrowed, budgetOf, () => undefined, ratio);
}

/** The figures, as far as they are plausible and complete each other. */
function readSizes(stated: Sizes, { maxOutput, window }: Pick<Sent<Fitted, Prepared>, "maxOutput" | "window">) {
  const limit =
    stated.limit !== undefined && Number.isFinite(stated.limit) && stated.limit >= 256
      ? Math.floor(stated.limit)
      : undefined;
  const output = stated.output ?? maxOutput ?? window.asked ?? 0;
  const input = stated.input ?? (stated.requested === undefined ? undefined : stated.requested - output);
  return { limit, input: input !== undefined && input > 0 ? input : undefined };
}

/** An error without numbers still says that what was sent is too much: the next try is three quarters of it. */
async function withoutFigures<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
  { window, maxOutput }: Sent<TFitted, TPrepared>,
  ours: number,
): Promise<NextTry<TFitted> | undefined> {
  const aim = Math.floor(Math.min(window.tokens - window.reserve, ours) * guessShare);
  const reserve = Math.min(window.reserve, Math.max(shortestReply, Math.floor(aim / 3)));
  const narrowed: Window = { ...window, tokens: aim + reserve, source: "learned", reserve };
  const learn = () => {
    if (window.source === "route") return;
    const evidence = `The upstream refused a request of ${ours} tokens as too long, without naming a limit, and took one of ${aim}.`;
    tools.limits.learnConcluded(ask.key, narrowed.tokens, evidence);
  };
  const next = await foldTo(ask, narrowed, (room) => aim - Math.max(0, room - reserve), learn);
  if (next === undefined) return undefined;
  const asked = maxOutput ?? window.asked;
  return {
    ...next,
    maxOutput: asked === undefined ? next.maxOutput : Math.min(asked, Math.max(reserve, shortestReply)),
  };
}

async function foldTo<TFitted extends Fitted, TPrepared extends Prepared>(
  ask: Ask<TFitted, TPrepared>,
  window: Window,
  budgetOf: (reserve: number) => number,
  onAccepted: () => void,
  /** How many of the upstream's tokens one of ours is. */
  ratio = 1,
): Promise<NextTry<TFitted> | undefined> {
  for (const candidate of [window, tightWindow(window)]) {
    const fitted = await fitTight(ask.fit, candidate, budgetOf(candidate.reserve));
    if (fitted === undefined) continue;
    const tokens = Math.ceil(fitted.tokens * ratio);
    return { fitted, window: candidate, maxOutput: outputFor(ask, { ...fitted, tokens }, candidate), onAccepted };
  }
  return undefined;
}
