import { expect, test } from "vitest";
import { type RequestRecord, startRecord } from "../requests/request-record.ts";
import { priceOf } from "../turn/run-turn.ts";
import { sumSavings } from "./sum-savings.ts";

const start = {
  id: "r",
  at: 10,
  tenant: "t",
  keyId: undefined,
  keyName: undefined,
  client: "c",
  protocol: "p",
  path: "/",
};
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

function record(changes: Partial<RequestRecord>): RequestRecord {
  const made = { ...startRecord(start), model: "m", ...changes };
  Object.assign(made, priceOf(made, prices));
  return made;
}

test("a fold's price is what the new prefix cost above reading the old one from the cache", () => {
  const folded = record({
    outcome: "folded",
    tokensBefore: 10_000,
    tokensAfter: 4_000,
    usage: { input: 4_000, output: 100, cached: 1_000, cacheWrite: 2_000 },
  });
  const reused = record({
    outcome: "reused",
    tokensBefore: 11_000,
    tokensAfter: 5_000,
    usage: { input: 5_000, output: 100, cached: 4_000, cacheWrite: 0 },
  });
  const { total } = sumSavings([folded, reused], 0);
  expect(total).toMatchObject({ requests: 2, folded: 2, priced: 2, cacheWrite: 2_000, summaries: 0, summaryMicros: 0 });
  expect(total.savedMicros).toBeCloseTo(12_000 * 3);
  expect(total.savedCachedMicros).toBeCloseTo(12_000 * 0.3);
  expect(total.rewriteMicros).toBeCloseTo(1_000 * 2.7 + 2_000 * 3.45);
});

test("where the cache was cold, a fold's prefix cost nothing extra, and what it left out would have been paid in full", () => {
  const folded = record({
    outcome: "folded",
    tokensBefore: 10_000,
    tokensAfter: 4_000,
    cacheIsCold: true,
    usage: { input: 4_000, output: 100, cached: 0, cacheWrite: 4_000 },
  });
  const { total } = sumSavings([folded], 0);
  expect(total.savedCachedMicros).toBeCloseTo(6_000 * 3);
  expect(total.rewriteMicros).toBe(0);
});

test("one summary without a known price makes the sum unknown, not smaller", () => {
  const known = record({ summaries: 1, summaryMicros: 500 });
  const unknown = record({ summaries: 1, summaryMicros: undefined });
  expect(sumSavings([known], 0).total.summaryMicros).toBe(500);
  expect(sumSavings([known, unknown], 0).total).toMatchObject({ summaries: 2, summaryMicros: null, priced: 0 });
});
