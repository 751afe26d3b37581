import { MidfoldError } from "@midfold/core";
import { LRUCache } from "lru-cache";

export interface WrongKeyLimiter {
  /** Throws RATE_LIMITED when this address has sent too many unknown keys in the last minute. */
  check(address: string): void;
  fail(address: string): void;
}

/** Limits how many unknown keys one address may send. Addresses are forgotten after a minute without a failure. */
export function createWrongKeyLimiter(options: {
  readonly perMinute: number;
  readonly now: () => number;
}): WrongKeyLimiter {
  const failures = new LRUCache<string, number[]>({ max: 10_000 });
  const recent = (address: string): number[] => {
    const since = options.now() - 60_000;
    return (failures.get(address) ?? []).filter((at) => at > since);
  };
  return {
    check: (address) => {
      if (!failures.has(address)) return;
      const times = recent(address);
      if (times.length === 0) failures.delete(address);
      if (times.length < options.perMinute) return;
      const seconds = Math.ceil(((times[0] as number) + 60_000 - options.now()) / 1000);
      throw new MidfoldError("RATE_LIMITED", "Too many unknown keys from this address.", {
        details: { retryAfterSeconds: Math.max(1, seconds) },
      });
    },
    fail: (address) => {
      failures.set(address, [...recent(address), options.now()]);
    },
  };
}
