import { MidfoldError } from "@midfold/core";
import type { Identity, KeyLimits } from "./identity.ts";

/** One running request of a key. `settle` corrects the reserved tokens, `release` must be called exactly once. */
export interface Admission {
  settleTokens(tokens: number): void;
  release(): void;
}

export interface KeyLimiter {
  /** Takes one request from the key's limit, or throws RATE_LIMITED with `retryAfterSeconds` in its details. */
  admit(identity: Identity): Admission;
  /** Takes tokens from the key's limit before they are spent. */
  reserveTokens(identity: Identity, tokens: number): void;
}

interface Bucket {
  /** What is left, in requests and in tokens; both refill evenly and hold at most one minute's worth. */
  requests: number;
  tokens: number;
  refilledAt: number;
  running: number;
}

/** Limits per key, in this process: each replica grants the whole limit. */
export function createKeyLimiter(now: () => number): KeyLimiter {
  const buckets = new Map<string, Bucket>();
  const bucketOf = (identity: Identity): Bucket => {
    // Keys made by a key share its limits, so that making more of them does not grant more.
    const name = identity.limitedAs ?? identity.keyId ?? identity.tenant;
    const found = buckets.get(name);
    if (found !== undefined) {
      refill(found, identity.limits, now());
      return found;
    }
    if (buckets.size > 10_000) dropIdle(buckets, now());
    const { requestsPerMinute = 0, tokensPerMinute = 0 } = identity.limits;
    const bucket = { requests: requestsPerMinute, tokens: tokensPerMinute, refilledAt: now(), running: 0 };
    buckets.set(name, bucket);
    return bucket;
  };
  return {
    admit: (identity) => {
      const { requestsPerMinute, concurrentRequests } = identity.limits;
      const bucket = bucketOf(identity);
      if (concurrentRequests !== undefined && bucket.running >= concurrentRequests) {
        throw limited(`The key may have ${concurrentRequests} requests in flight at once.`, 1);
      }
      if (requestsPerMinute !== undefined) {
        if (bucket.requests < 1) {
          throw limited(
            `The key may send ${requestsPerMinute} requests a minute.`,
            ((1 - bucket.requests) * 60) / requestsPerMinute,
          );
        }
        bucket.requests -= 1;
      }
      bucket.running += 1;
      let open = true;
      return {
        settleTokens: (tokens) => {
          bucket.tokens -= tokens;
        },
        release: () => {
          if (open) bucket.running -= 1;
          open = false;
        },
      };
    },
    reserveTokens: (identity, tokens) => {
      const { tokensPerMinute } = identity.limits;
      if (tokensPerMinute === undefined) return;
      const bucket = bucketOf(identity);
      // A request larger than a whole minute's limit may still go when none of it was used.
      const needed = Math.min(tokens, tokensPerMinute);
      if (bucket.tokens < needed) {
        throw limited(
          `The key may send ${tokensPerMinute} tokens a minute.`,
          ((needed - bucket.tokens) * 60) / tokensPerMinute,
        );
      }
      bucket.tokens -= tokens;
    },
  };
}

function refill(bucket: Bucket, limits: KeyLimits, now: number): void {
  const minutes = Math.max(0, now - bucket.refilledAt) / 60_000;
  bucket.refilledAt = now;
  if (limits.requestsPerMinute !== undefined) {
    bucket.requests = Math.min(limits.requestsPerMinute, bucket.requests + minutes * limits.requestsPerMinute);
  }
  if (limits.tokensPerMinute !== undefined) {
    bucket.tokens = Math.min(limits.tokensPerMinute, bucket.tokens + minutes * limits.tokensPerMinute);
  }
}

function dropIdle(buckets: Map<string, Bucket>, now: number): void {
  for (const [name, bucket] of buckets) {
    if (bucket.running === 0 && now - bucket.refilledAt > 120_000) buckets.delete(name);
  }
}

function limited(message: string, seconds: number): MidfoldError {
  return new MidfoldError("RATE_LIMITED", message, { details: { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) } });
}
