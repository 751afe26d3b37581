import { isMidfoldError } from "@midfold/core";
import type { RequestBody, StreamDecoder } from "@midfold/wire";
import type { Bills } from "../learn/bills.ts";
import type { Calibrations } from "../learn/calibrations.ts";
import type { LastAnswers } from "../learn/last-answers.ts";
import type { LimitKey, Limits } from "../learn/limits.ts";
import type { Replies } from "../learn/replies.ts";
import type { UpstreamQuirks } from "../learn/upstream-quirks.ts";
import type { Destination } from "../upstreams/destination.ts";
import type { Opened } from "./open-answer.ts";
import { clampOutput, type Window } from "./window.ts";

/** What every exchange learns from and adds to, for gateway and chat alike. */
export interface ExchangeTools {
  readonly limits: Limits;
  readonly calibrations: Calibrations;
  readonly bills: Bills;
  readonly replies: Replies;
  readonly lastAnswers: LastAnswers;
  readonly quirks: UpstreamQuirks;
  readonly log: ExchangeLog;
}

/** Structured log, as pino writes it. Never given message content or keys. */
export interface ExchangeLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
}

/** A conversation that is thought to fit. */
export interface Fitted {
  /** Tokens of the input, by our count, or an upper bound of it. */
  readonly tokens: number;
  /** False: only bounded by its size in bytes. */
  readonly counted: boolean;
  /** False: it goes out as it came in. */
  readonly changed: boolean;
  /** The fit is provisional: so much of the newest exchange goes out, and later requests start from it once kept. */
  readonly provisional?: { readonly newest: "part" | "none"; keep(): void | Promise<void> };
}

export interface FitWish {
  readonly window: Window;
  /** What the input may weigh, where that is not what the window leaves. */
  readonly budget?: number;
  /** Nothing could make it fit a window that may be wrong, so it is sent unchanged. */
  readonly asItIs?: true;
  /** Where less than the whole newest exchange goes out, nothing is remembered of the fit until it is kept. */
  readonly provisional?: true;
}

/** A request ready to be sent, and how its answer is to be read. */
export interface Prepared {
  readonly bytes: RequestBody;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
  /** The limit on the answer as it was written, where that may be lower than the one it was given. */
  readonly maxOutput?: number;
  createDecoder(): StreamDecoder;
}

/**
 * What the gateway or the chat provides: who asks, where it goes, how the conversation is fitted, and how it is
 * written.
 */
export interface Ask<TFitted extends Fitted, TPrepared extends Prepared> {
  readonly key: LimitKey;
  readonly destination: Destination;
  /** The caller's own credential, for upstreams that get it. */
  readonly providerKey: string | undefined;
  readonly stream: boolean;
  /** Whether the caller itself retries when the upstream is busy. */
  readonly callerRetries: boolean;
  readonly signal: AbortSignal;
  readonly window: Window;
  /** Our count is an estimate that no bill has corrected yet: it may be far above the upstream's. */
  readonly countIsGuess?: boolean;
  /** What must stay free beside input and answer, for so many tokens of input. */
  margin(tokens: number): number;
  /** Rejects with CONTEXT_OVERFLOW when even the smallest form is too large. */
  fit(wish: FitWish): Promise<TFitted>;
  /** Tokens of what a fit without a count sends. */
  count(): Promise<number>;
  /** Writes the request; `maxOutput` undefined leaves the limit on the answer as it is. */
  encode(fitted: TFitted, window: Window, maxOutput: number | undefined): TPrepared;
  /** False when nothing may be folded, so that a refusal is the answer. */
  readonly mayFold: boolean;
}

/** How the limit on the answer has to change for this window and input; undefined when it may stay. */
export function outputFor(
  ask: Pick<Ask<Fitted, Prepared>, "mayFold" | "margin" | "window">,
  { tokens }: Fitted,
  window: Window,
) {
  if (!ask.mayFold) return undefined;
  // A window with less room for the answer must not hide what was asked for, which is what goes out if this says nothing.
  const asked = ask.window.asked ?? window.asked;
  return clampOutput({ ...window, asked }, tokens, ask.margin(tokens));
}

/** One thing that was sent, and how its answer began. */
export interface Sent<TFitted extends Fitted, TPrepared extends Prepared> {
  readonly fitted: TFitted;
  readonly window: Window;
  readonly maxOutput: number | undefined;
  readonly prepared: TPrepared;
  readonly opened: Opened;
  /** Tries of the transport. */
  readonly attempts: number;
  readonly sentAt: number;
  readonly firstByteMs: number;
}

/** Fits to a budget; undefined when it does not. */
export async function fitTo<TFitted extends Fitted>(
  fit: (wish: FitWish) => Promise<TFitted>,
  window: Window,
  budget: number,
): Promise<TFitted | undefined> {
  if (budget <= 0) return undefined;
  try {
    return await fit({ window, budget });
  } catch (thrown) {
    if (isMidfoldError(thrown, "CONTEXT_OVERFLOW")) return undefined;
    throw thrown;
  }
}
