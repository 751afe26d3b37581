import {
  SlidingWindowStrategy,
  SmartTruncationStrategy,
  TokenBudgetStrategy,
  type TruncationStrategy,
} from "./truncation-strategy.ts";

/** How to make a conversation smaller. */
export const TruncationMode = {
  SLIDING_WINDOW: "sliding_window",
  TOKEN_BUDGET: "token_budget",
  SMART: "smart",
  SUMMARIZE: "summarize",
} as const;

export type TruncationMode = (typeof TruncationMode)[keyof typeof TruncationMode];

/** The strategy behind a mode. Summaries fall back to smart truncation where no summary came about. */
export function strategyFor(mode: TruncationMode): TruncationStrategy {
  switch (mode) {
    case "sliding_window":
      return new SlidingWindowStrategy();
    case "token_budget":
      return new TokenBudgetStrategy();
    case "smart":
    case "summarize":
      return new SmartTruncationStrategy();
  }
}
