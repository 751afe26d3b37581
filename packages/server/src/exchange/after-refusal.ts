import { type Ask, type ExchangeTools, type Fitted, fitTo, outputFor, type Prepared, type Sent } from "./ask.ts";
import { shortestReply, tightWindow, type Window } from "./window.ts";

/** The next thing to send. */
export interface NextTry<TFitted extends Fitted> {
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
  readonly excess?: number;
}

/** The next try is this much below the stated limit, since counts that were off once may be off again. */
const caution = 0.97;
/** Without any figure, the next try is this share of what was refused. */
const guessShare = 0.75;
/** The largest plausible factor between two tokenizers. */
const largestRatio = 4;
/** Assumed where an upstream that does not count to the end has refused twice. */
const cautiousRatio = 1.6;

/**
 * What to send after the upstream refused a request as too long. Its figures override ours. First the limit on the
 * answer is lowered, if the input itself fits; then the conversation is folded to what the figures leave; then with
 * room for a short answer only. Undefined when nothing is left to try.
 */
export async function afterRefusal<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
  sent: Sent<TFitted, TPrepared>,
  /** This is not the first refusal. */
  again: boolean,
): Promise<NextTry<TFitted> | undefined> {
  if (sent.opened.kind !== "failed") return undefined;
  const { error } = sent.opened;
  const { window, fitted } = sent;
  const ours = fitted.counted ? fitted.tokens : await ask.count();
  const sizes = readSizes(error.details as Sizes, sent);
  const { limit, isBound } = sizes;
  const theirs = isBound ? undefined : sizes.input;
  if (theirs !== undefined) tools.calibrations.compare(ask.key, ours, theirs);
  if (limit === undefined) return withoutFigures(tools, ask, sent, ours, error.details as Sizes);

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
  const guessed = again && isBound ? cautiousRatio : 1.03;
  const input = theirs ?? Math.max(sizes.input ?? 0, Math.ceil(ours * guessed));
  const room = limit - input - Math.max(16, Math.ceil(input * 0.004));
  const allowed = sent.maxOutput ?? window.asked;
  if (room >= Math.min(shortestReply, allowed ?? shortestReply) && room < (allowed ?? Number.POSITIVE_INFINITY)) {
    return { fitted, window: narrowed, maxOutput: room, onAccepted: () => undefined };
  }
  const assumed = again && isBound ? cautiousRatio : 1;
  const ratio = theirs === undefined ? assumed : Math.min(largestRatio, Math.max(1, theirs / Math.max(1, ours)));
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
  const all =
    stated.requested ?? (limit === undefined || stated.excess === undefined ? undefined : limit + stated.excess);
  const input = stated.input ?? (all === undefined ? undefined : all - output);
  // vLLM counts until it is certain that a prompt does not fit: that is where it stopped, not the size.
  const isBound = limit !== undefined && input !== undefined && input + (stated.output ?? 0) === limit + 1;
  return { limit, input: input !== undefined && input > 0 ? input : undefined, isBound };
}

/**
 * An error without a limit still says that what was sent is too much: the next try is three quarters of it, or less by
 * what it says is too much.
 */
async function withoutFigures<TFitted extends Fitted, TPrepared extends Prepared>(
  tools: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
  sent: Sent<TFitted, TPrepared>,
  ours: number,
  { excess = 0 }: Sizes,
): Promise<NextTry<TFitted> | undefined> {
  const { window } = sent;
  const smaller = Math.min(window.tokens - window.reserve, ours) * guessShare;
  const aim = Math.floor(excess > 0 ? Math.min(smaller, (ours - excess) * caution) : smaller);
  return foldToAim(ask, sent, aim, (tokens) => {
    if (window.source === "route") return;
    const evidence = `The upstream refused a request of ${ours} tokens as too long, without naming a limit, and took one of ${aim}.`;
    tools.limits.learnConcluded(ask.key, tokens, evidence);
  });
}

/** Folds to so many tokens of input; `onAccepted` is told the window that this and its answer make. */
async function foldToAim<TFitted extends Fitted, TPrepared extends Prepared>(
  ask: Ask<TFitted, TPrepared>,
  { window, maxOutput }: Sent<TFitted, TPrepared>,
  aim: number,
  onAccepted: (window: number) => void,
): Promise<NextTry<TFitted> | undefined> {
  const reserve = Math.min(window.reserve, Math.max(shortestReply, Math.floor(aim / 3)));
  const narrowed: Window = { ...window, tokens: aim + reserve, source: "learned", reserve };
  const learn = () => onAccepted(narrowed.tokens);
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
    const fitted = await fitTo(ask.fit, candidate, budgetOf(candidate.reserve));
    if (fitted === undefined) continue;
    const tokens = Math.ceil(fitted.tokens * ratio);
    return { fitted, window: candidate, maxOutput: outputFor(ask, { ...fitted, tokens }, candidate), onAccepted };
  }
  return undefined;
}

/** A smaller request fits every model in use, so it was refused for something else. */
const smallestLarge = 3_000;
/** The one further try is at most and at least this share of what was refused. */
const mostShare = 0.5;
const leastShare = 0.25;

/** What to send after a refusal without a reason, and how large the refused request was. */
export interface SmallerTry<TFitted extends Fitted> extends NextTry<TFitted> {
  readonly refused: number;
}

/**
 * What to send after a 400 that says nothing: some servers and proxies answer so when a request is too long. Worth one
 * much smaller try where the request is larger than any this model is known to have read; undefined where it is not.
 * A window is concluded only when this happens twice and nothing as large was read in between.
 */
export async function afterWordlessRefusal<TFitted extends Fitted, TPrepared extends Prepared>(
  { limits, log }: ExchangeTools,
  ask: Ask<TFitted, TPrepared>,
  sent: Sent<TFitted, TPrepared>,
): Promise<SmallerTry<TFitted> | undefined> {
  const { opened, fitted, window } = sent;
  if (!ask.mayFold || opened.kind !== "failed" || opened.error.details.wordless !== true) return undefined;
  if (window.source === "route") return undefined;
  const ours = fitted.counted ? fitted.tokens : await ask.count();
  const proven = limits.provenOf(ask.key);
  if (ours < smallestLarge || ours <= proven) return undefined;
  const aim = Math.floor(Math.min(ours * mostShare, Math.max(ours * leastShare, proven * caution)));
  const next = await foldToAim(ask, sent, aim, (tokens) => {
    const facts = { upstream: ask.key.upstream, model: ask.key.model, refused: ours, taken: aim };
    log.warn(facts, "a request refused without a reason was taken when folded");
    if (!limits.suspect(ask.key, ours)) return;
    const evidence = `The upstream refused a request of ${ours} tokens without a reason, for the second time, and took one of ${aim}.`;
    limits.learnConcluded(ask.key, tokens, evidence);
  });
  return next === undefined ? undefined : { ...next, refused: ours };
}
