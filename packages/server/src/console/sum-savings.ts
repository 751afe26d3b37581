import type { Savings, SavingsRow } from "../api/console-schemas.ts";
import type { RequestRecord } from "../requests/request-record.ts";

const hourMs = 3_600_000;

/** The ledger: what came in, what went out, what it cost and what it would have cost. */
export function sumSavings(records: Iterable<RequestRecord>, since: number): Savings {
  const total = emptyRow();
  const byModel = new Map<string, SavingsRow>();
  const byHour = new Map<number, SavingsRow>();
  for (const record of records) {
    if (record.at < since) continue;
    add(total, record);
    add(rowOf(byModel, record.model), record);
    add(rowOf(byHour, Math.floor(record.at / hourMs) * hourMs), record);
  }
  const earliest = byHour.size === 0 ? since : Math.max(since, Math.min(...byHour.keys()));
  return {
    since: earliest,
    total,
    byModel: [...byModel].map(([model, row]) => ({ model, ...row })).sort((a, b) => b.requests - a.requests),
    byHour: [...byHour].map(([at, row]) => ({ at, ...row })).sort((a, b) => a.at - b.at),
  };
}

function rowOf<TKey>(rows: Map<TKey, SavingsRow>, key: TKey): SavingsRow {
  const found = rows.get(key) ?? emptyRow();
  rows.set(key, found);
  return found;
}

function emptyRow(): SavingsRow {
  return {
    requests: 0,
    folded: 0,
    failed: 0,
    tokensBefore: 0,
    tokensAfter: 0,
    input: 0,
    output: 0,
    cached: 0,
    cacheWrite: 0,
    priced: 0,
    costMicros: 0,
    savedMicros: 0,
    savedCachedMicros: 0,
    rewriteMicros: 0,
    summaries: 0,
    summaryMicros: 0,
  };
}

function add(row: SavingsRow, record: RequestRecord): void {
  row.requests += 1;
  if (record.outcome === "folded" || record.outcome === "reused") row.folded += 1;
  if (record.state === "failed") row.failed += 1;
  row.tokensBefore += record.tokensBefore;
  row.tokensAfter += record.tokensAfter;
  row.input += record.usage?.input ?? 0;
  row.output += record.usage?.output ?? 0;
  row.cached += record.usage?.cached ?? 0;
  row.costMicros += record.costMicros ?? 0;
  row.cacheWrite += record.usage?.cacheWrite ?? 0;
  if (record.costMicros !== undefined) row.priced += 1;
  row.savedMicros += record.savedMicros ?? 0;
  row.savedCachedMicros += record.savedCachedMicros ?? 0;
  row.rewriteMicros += record.rewriteMicros ?? 0;
  row.summaries += record.summaries;
  // One unknown price makes the sum unknown, not smaller.
  row.summaryMicros =
    row.summaryMicros === null || record.summaryMicros === undefined ? null : row.summaryMicros + record.summaryMicros;
}
