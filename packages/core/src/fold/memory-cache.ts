import type { FoldCache, FoldRecord } from "../plan/fold-record.ts";

export interface MemoryCacheOptions {
  /** Records kept; the ones not met for longest go first. */
  readonly maxRecords?: number;
}

/**
 * Keeps fold records in memory, so that calls with a growing conversation meet their last fold and the prefix that was sent
 * stays as it was. For one process and one tenant; write a `FoldCache` of your own to share folds.
 *
 * @example
 * const cache = memoryCache();
 * const { messages: fitted } = await fold(messages, { model: "gpt-4o", cache });
 */
export function memoryCache({ maxRecords = 500 }: MemoryCacheOptions = {}): FoldCache {
  const records = new Map<string, FoldRecord>();
  return {
    find(chain) {
      for (let index = chain.length - 1; index >= 0; index--) {
        const record = records.get(chain[index]!);
        if (record === undefined || record.covers !== index + 1) continue;
        records.delete(record.prefix);
        records.set(record.prefix, record);
        return record;
      }
      return undefined;
    },
    save(record) {
      records.delete(record.prefix);
      records.set(record.prefix, record);
      for (const oldest of records.keys()) {
        if (records.size <= maxRecords) break;
        records.delete(oldest);
      }
    },
  };
}
