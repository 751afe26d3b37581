import { isMidfoldError } from "@midfold/core";
import { LRUCache } from "lru-cache";
import type { FindKey, KnownKey } from "./identity.ts";

export interface RememberKeysOptions {
  readonly ttlMs: number;
  /** How long a key that was known stays good while the store does not answer: nobody can revoke one meanwhile. */
  readonly graceMs: number;
  /** How long the store is waited for where there is a remembered key to fall back on. */
  readonly patienceMs: number;
  readonly maxKeys: number;
  readonly now: () => number;
}

interface Remembered {
  readonly key: KnownKey;
  readonly at: number;
}

/** Saves a look-up per request. `forget` makes a revocation count at once in this process. */
export function rememberKeys(find: FindKey, options: RememberKeysOptions): { find: FindKey; forget: () => void } {
  const known = new LRUCache<string, Remembered>({ max: options.maxKeys });
  const ask = async (hash: string): Promise<KnownKey | undefined> => {
    const key = await find(hash);
    // Unknown keys are not remembered: guesses must not fill the table.
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
