import type { SavingsRow } from "../api/types.gen.ts";

export interface NetSavings {
  /** Had the folded tokens been read from a warm cache each time; null: not known. */
  readonly low: number | null;
  /** Had they been billed in full each time. */
  readonly high: number | null;
}

/** Gross − summaries − re-written cache. Nobody can know how warm the cache would have been, so it is a range. */
export function netSavings(row: SavingsRow): NetSavings {
  if (row.priced === 0 || row.summaryMicros === null) return { low: null, high: null };
  const spent = row.summaryMicros + row.rewriteMicros;
  return { low: row.savedCachedMicros - spent, high: row.savedMicros - spent };
}
