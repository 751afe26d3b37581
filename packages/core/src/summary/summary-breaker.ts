/** How often summarizing has failed in a row, and when it may be tried again. Times in milliseconds. */
export interface ChatBreaker {
  readonly failures: number;
  readonly retryAt: number;
}

/** Pauses grow exponentially; after this many failures in a row the pause is long. */
export const breakerFailures = 3;
const firstPauseMs = 10_000;
const openPauseMs = 10 * 60_000;
const longestPauseMs = 60 * 60_000;

export const closedBreaker: ChatBreaker = { failures: 0, retryAt: 0 };

/**
 * The state after one more failure.
 *
 * @example const breaker = afterChatFailure(closedBreaker, Date.now()); // one failure: the next try waits
 */
export function afterChatFailure(breaker: ChatBreaker, now: number): ChatBreaker {
  const failures = breaker.failures + 1;
  const pause =
    failures < breakerFailures
      ? firstPauseMs * 2 ** (failures - 1)
      : Math.min(longestPauseMs, openPauseMs * 2 ** (failures - breakerFailures));
  return { failures, retryAt: now + pause };
}

/**
 * `closed` may try; `waiting` and `open` may not yet. When the pause is over one try is let through.
 *
 * @example if (breakerState(closedBreaker, Date.now()) === "closed") console.log("a summary may be tried");
 */
export function breakerState(breaker: ChatBreaker, now: number): "closed" | "waiting" | "open" {
  if (now >= breaker.retryAt) return "closed";
  return breaker.failures >= breakerFailures ? "open" : "waiting";
}
