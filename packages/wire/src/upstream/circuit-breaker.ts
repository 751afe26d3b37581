export interface CircuitBreakerOptions {
  /** Failures in a row that open it. */
  readonly failures?: number;
  /** How long it stays open before one request may try. */
  readonly openMs?: number;
  readonly now?: () => number;
}

/** What became of a request that was let through. `unknown`: cancelled, so it says nothing about the upstream. */
export type Outcome = "success" | "failure" | "unknown";

export interface CircuitBreaker {
  /** Undefined when closed; otherwise how long to wait. A caller let through must `report` exactly once. */
  admit(): { readonly retryAfterMs: number } | undefined;
  report(outcome: Outcome): void;
}

/**
 * Stops asking an upstream that keeps failing. Five failures in a row open it for five seconds; then a single request
 * goes through as a probe, and its outcome closes or re-opens it.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreaker {
  const { failures: limit = 5, openMs = 5_000, now = () => performance.now() } = options;
  let failures = 0;
  let openUntil: number | undefined;
  let probing = false;

  return {
    admit() {
      if (openUntil === undefined) return undefined;
      const wait = openUntil - now();
      if (wait > 0) return { retryAfterMs: Math.ceil(wait) };
      if (probing) return { retryAfterMs: openMs };
      probing = true;
      return undefined;
    },
    report(outcome) {
      probing = false;
      if (outcome === "unknown") return;
      if (outcome === "success") {
        failures = 0;
        openUntil = undefined;
        return;
      }
      failures += 1;
      if (failures >= limit) openUntil = now() + openMs;
    },
  };
}
