import { approximateFactor } from "../tokens/approximate-counter.ts";
import { assertWindow } from "./assert-window.ts";
import { outputReserve } from "./output-reserve.ts";

/** The share of the window that stays free, and the size below which a chat is not summarized. */
export const defaultMarginShare = 0.05;
export const defaultMinimumTokens = 2_000;

export interface ChatBudgetOptions {
  readonly window: number;
  readonly maxOutput: number;
  /** Share of the window, 0–1. */
  readonly threshold?: number;
  /** Tokens of what the user is about to send, when the history does not contain it yet. */
  readonly inputTokens?: number;
  readonly marginShare?: number;
  /** Whether the counter counts as the provider does. */
  readonly exact?: boolean;
}

export interface ChatBudget {
  readonly window: number;
  /** The share that applied, after the stricter rule for estimates. */
  readonly threshold: number;
  readonly reserve: { readonly input: number; readonly output: number; readonly margin: number };
  /** History heavier than this is folded. */
  readonly budget: number;
}

/**
 * The threshold to use: as set when counts are exact, lower when they are estimates.
 *
 * @example thresholdFor(0.95, false); // lower than 0.95: the count is an estimate
 */
export function thresholdFor(threshold: number, exact: boolean): number {
  return exact ? threshold : threshold * approximateFactor;
}

/**
 * History, new input and the expected reply together stay under `threshold` of the window, and a margin of it
 * stays empty. The default threshold of 95 % *is* the default margin of 5 %: the lower of the two lines holds.
 *
 * @example const { budget } = chatBudget({ window: 128_000, maxOutput: 16_384, inputTokens: 500 });
 */
export function chatBudget(options: ChatBudgetOptions): ChatBudget {
  const { window, maxOutput, inputTokens = 0, marginShare = defaultMarginShare, exact = true } = options;
  assertWindow(window);
  const threshold = thresholdFor(options.threshold ?? 0.95, exact);
  const output = outputReserve({ window, maxOutput });
  const line = Math.floor(window * Math.min(threshold, 1 - marginShare));
  return {
    window,
    threshold,
    reserve: { input: inputTokens, output, margin: window - line },
    budget: Math.max(0, line - output - inputTokens),
  };
}

/**
 * Whether a chat is over its budget, and long enough for a summary to pay.
 *
 * @example needsChatFold(124_000, chatBudget({ window: 128_000, maxOutput: 16_384 })); // true
 */
export function needsChatFold(tokens: number, budget: ChatBudget, minimumTokens = defaultMinimumTokens): boolean {
  return tokens >= minimumTokens && tokens > budget.budget;
}
