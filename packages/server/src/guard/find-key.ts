import { performance } from "node:perf_hooks";
import type { Store } from "@midfold/store";
import type { FindKey, KeyLimits, KnownKey } from "./identity.ts";
import { rememberKeys } from "./remember-keys.ts";

export interface KeyFinderOptions {
  readonly store: Store | undefined;
  readonly keys: ReadonlyMap<string, KnownKey> | undefined;
  readonly onStoreError: (error: unknown) => void;
}

/** Keys given at start and keys in the store, remembered for a short while. */
export function createKeyFinder(options: KeyFinderOptions): {
  find: FindKey;
  /** Past every memory. */
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
