import type { FoldCache, FoldRecord } from "@midfold/core";
import type { Store } from "@midfold/store";

export interface FoldCacheOptions {
  readonly store: Store | undefined;
  /** Records kept in memory over all tenants, by their size. */
  readonly maxBytes: number;
  readonly onStoreError: (error: unknown) => void;
}

interface Held {
  readonly record: FoldRecord;
  readonly bytes: number;
}

/** How many prefixes of a conversation are looked up in the store: earlier folds are covered by later ones. */
const searchedPrefixes = 400;

/**
 * Fold records by tenant: in memory, where the least recently used are dropped first, and in the store, if there is
 * one, so that restarts and replicas find the same folds. A tenant never sees another tenant's records.
 */
export function createFoldCaches(options: FoldCacheOptions): (tenant: string) => FoldCache {
  const held = new Map<string, Held>();
  let bytes = 0;

  const keep = (tenant: string, record: FoldRecord) => {
    const key = keyOf(tenant, record.prefix);
    const size = sizeOf(record);
    drop(key);
    if (size > options.maxBytes) return;
    held.set(key, { record, bytes: size });
    bytes += size;
    for (const oldest of held.keys()) {
      if (bytes <= options.maxBytes) break;
      drop(oldest);
    }
  };
  const drop = (key: string) => {
    const old = held.get(key);
    if (old === undefined) return;
    held.delete(key);
    bytes -= old.bytes;
  };
  const findInMemory = (tenant: string, chain: readonly string[]): FoldRecord | undefined => {
    if (held.size === 0) return undefined;
    for (let index = chain.length - 1; index >= 0; index--) {
      const key = keyOf(tenant, chain[index] as string);
      const found = held.get(key);
      if (found === undefined || found.record.covers !== index + 1) continue;
      // Inserted again, so that it is dropped last: a Map keeps the order of insertion.
      held.delete(key);
      held.set(key, found);
      return found.record;
    }
    return undefined;
  };
  const findInStore = async (store: Store, tenant: string, chain: readonly string[]) => {
    try {
      const stored = await store.of(tenant).folds.find(chain.slice(-searchedPrefixes));
      if (stored === undefined) return undefined;
      const record = stored.record as FoldRecord;
      keep(tenant, record);
      return record;
    } catch (error) {
      options.onStoreError(error);
      return undefined;
    }
  };
  return (tenant) => ({
    find: (chain) => {
      const found = findInMemory(tenant, chain);
      if (found !== undefined || options.store === undefined) return found;
      return findInStore(options.store, tenant, chain);
    },
    save: (record) => {
      keep(tenant, record);
      const { store } = options;
      if (store === undefined) return;
      return store
        .of(tenant)
        .folds.put({ prefix: record.prefix, covered: record.covers, record })
        .then((stored) => keep(tenant, stored.record as FoldRecord))
        .catch(options.onStoreError);
    },
  });
}

const keyOf = (tenant: string, prefix: string) => `${tenant}\n${prefix}`;

function sizeOf(record: FoldRecord): number {
  let size = 256;
  for (const text of record.texts) size += text.length * 2;
  for (const edit of record.edits) size += edit.do === "drop" ? 48 : JSON.stringify(edit.parts).length * 2;
  return size;
}
