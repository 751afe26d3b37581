import { performance } from "node:perf_hooks";
import { isMidfoldError } from "@midfold/core";
import type { Store } from "@midfold/store";
import { LRUCache } from "lru-cache";
import type { FindKey, KeyLimits, KnownKey } from "./identity.ts";

export interface KeyFinderOptions {
  readonly store: Store | undefined;
  readonly keys: ReadonlyMap<string, KnownKey> | undefined;
  readonly onStoreError: (error: unknown) => void;
}

/** Keys given at start and keys in the store, remembered for a short while. */
export function createKeyFinder(options: KeyFinderOptions): {
  find: FindKey;
  /** Asks the store, without the cache. */
  findAnew: FindKey;
} {
  const { store, keys } = options;
  const findAnew: FindKey = async (hash) => {
    const given = keys?.get(hash);
    if (given !== undefined || store === undefined) return given;
    const stored = await store.authenticate(hash);
    if (stored === undefined) return undefined;
    store.of(stored.owner).keys.touch(stored.id).catch(options.onStoreError);
    return {
      id: stored.id,
      name: stored.name,
      tenant: stored.owner,
      admin: stored.limits.admin === true,
      limits: readLimits(stored.limits),
      limitedAs: stored.ancestors[0],
    };
  };
  const { find } = rememberKeys(findAnew, {
    ttlMs: 10_000,
    graceMs: 900_000,
    patienceMs: 1_000,
    maxKeys: 10_000,
    now: () => performance.now(),
  });
  return { find, findAnew };
}

function readLimits(limits: Readonly<Record<string, unknown>>): KeyLimits {
  const read = (name: keyof KeyLimits) => {
    const value = limits[name];
    return typeof value === "number" && value > 0 ? { [name]: value } : {};
  };
  return { ...read("requestsPerMinute"), ...read("tokensPerMinute"), ...read("concurrentRequests") };
}

interface RememberKeysOptions {
  readonly ttlMs: number;
  /** How long a key that was known stays good while the store does not answer: nobody can revoke one meanwhile. */
  readonly graceMs: number;
  /** How long to wait for the store when there is a remembered key to use instead. */
  readonly patienceMs: number;
  readonly maxKeys: number;
  readonly now: () => number;
}

interface Remembered {
  readonly key: KnownKey;
  readonly at: number;
}

/** Saves a look-up per request. `forget` makes a revocation effective at once in this process. */
export function rememberKeys(find: FindKey, options: RememberKeysOptions): { find: FindKey; forget: () => void } {
  const known = new LRUCache<string, Remembered>({ max: options.maxKeys });
  const ask = async (hash: string): Promise<KnownKey | undefined> => {
    const key = await find(hash);
    // Unknown keys are not remembered, so that guesses do not fill the table.
    if (key === undefined) {
      known.delete(hash);
      return undefined;
    }
    known.set(hash, { key, at: options.now() });
    return key;
  };
  return {
    find: (hash) => {
      const hit = known.get(hash);
      const age = hit === undefined ? 0 : options.now() - hit.at;
      if (hit === undefined || age > options.graceMs) return ask(hash);
      return age <= options.ttlMs ? hit.key : orRemembered(ask(hash), hit.key, options.patienceMs);
    },
    forget: () => known.clear(),
  };
}

async function orRemembered(
  asked: Promise<KnownKey | undefined>,
  remembered: KnownKey,
  patienceMs: number,
): Promise<KnownKey | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<KnownKey>((resolve) => {
    timer = setTimeout(() => resolve(remembered), patienceMs);
  });
  const answered = asked.catch((error: unknown) => {
    if (isMidfoldError(error, "STORE_UNAVAILABLE")) return remembered;
    throw error;
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
