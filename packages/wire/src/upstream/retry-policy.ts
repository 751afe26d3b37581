export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** The longest `retry-after` that is waited out; longer ones go to the caller. */
  readonly maxRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { retries: 2, baseMs: 500, capMs: 8_000, maxRetryAfterMs: 10_000 };

/**
 * Answers that say "not now" without having worked on the request. 504 is not among them: somewhere behind it a model
 * may still be writing, at our expense.
 */
const transientStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 529]);

export function isTransientStatus(status: number, headers: Readonly<Record<string, string>>): boolean {
  const advice = headers["x-should-retry"];
  if (advice === "true" || advice === "false") return advice === "true" && status >= 400;
  return transientStatuses.has(status);
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date; undefined when absent or garbage. */
export function readRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** How long to wait before the try after `attempt` (1 is the first); undefined when it should not be made. */
export function retryDelay(
  attempt: number,
  retryAfterMs: number | undefined,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  if (attempt > policy.retries) return undefined;
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1));
  const jittered = random() * ceiling;
  if (retryAfterMs === undefined) return jittered;
  // Jitter on top, or everyone who was told the same second comes back in the same second.
  return retryAfterMs > policy.maxRetryAfterMs ? undefined : retryAfterMs + random() * Math.min(ceiling, 1_000);
}

export interface RetryBudget {
  /** Counts a request as in flight until the returned function is called. */
  enter(): () => void;
  /** Counts a retry, its pause included, until the returned function is called; undefined when there are too many. */
  retry(): (() => void) | undefined;
}

/** At most a fifth of what is in flight, and never fewer than three, may be retrying: retries must not feed an outage. */
export function createRetryBudget(share = 0.2, minimum = 3): RetryBudget {
  let inFlight = 0;
  let retrying = 0;
  return {
    enter() {
      inFlight += 1;
      let left = false;
      return () => {
        if (!left) inFlight -= 1;
        left = true;
      };
    },
    retry() {
      if (retrying >= Math.max(minimum, Math.floor(inFlight * share))) return undefined;
      retrying += 1;
      return () => {
        retrying -= 1;
      };
    },
  };
}
