import type { FindKey, KnownKey } from "./identity.ts";

export interface RememberKeysOptions {
  readonly ttlMs: number;
  readonly maxKeys: number;
  readonly now: () => number;
}

/** Saves a look-up per request. `forget` makes a revocation count at once in this process. */
export function rememberKeys(find: FindKey, options: RememberKeysOptions): { find: FindKey; forget: () => void } {
  const known = new Map<string, { readonly key: KnownKey; readonly until: number }>();
  const ask = async (hash: string, now: number): Promise<KnownKey | undefined> => {
    const key = await find(hash);
    // Unknown keys are not remembered: guesses must not fill the table.
    if (key === undefined) return undefined;
    if (known.size >= options.maxKeys) known.clear();
    known.set(hash, { key, until: now + options.ttlMs });
    return key;
  };
  return {
    find: (hash) => {
      const now = options.now();
      const hit = known.get(hash);
      if (hit !== undefined && hit.until > now) return hit.key;
      known.delete(hash);
      return ask(hash, now);
    },
    forget: () => known.clear(),
  };
}
