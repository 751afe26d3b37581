import type { SavingsRow } from "../api/types.gen.ts";

export interface NetSavings {
  /** If the folded tokens had been read from the cache each time; null: unknown. */
  readonly low: number | null;
  /** If they had been billed in full each time. */
  readonly high: number | null;
}

/** Gross savings − summaries − re-written cache. How much would have been cached is unknown, so it is a range. */
export function netSavings(row: SavingsRow): NetSavings {
  if (row.priced === 0 || row.summaryMicros === null) return { low: null, high: null };
  const spent = row.summaryMicros + row.rewriteMicros;
  return { low: row.savedCachedMicros - spent, high: row.savedMicros - spent };
}
