import { expect, test } from "vitest";
import type { SavingsRow } from "../api/types.gen.ts";
import { netSavings } from "./net-savings.ts";

const row = {
  priced: 3,
  savedMicros: 1_000,
  savedCachedMicros: 100,
  rewriteMicros: 200,
  summaryMicros: 50,
} as SavingsRow;

test("net is gross less summaries and re-written cache, and may be a loss", () => {
  expect(netSavings(row)).toEqual({ low: -150, high: 750 });
});

test("what has no price is not known, not zero", () => {
  expect(netSavings({ ...row, priced: 0 })).toEqual({ low: null, high: null });
  expect(netSavings({ ...row, summaryMicros: null })).toEqual({ low: null, high: null });
});
