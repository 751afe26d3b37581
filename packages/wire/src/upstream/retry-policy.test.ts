import { describe, expect, test } from "vitest";
import { createRetryBudget, defaultRetryPolicy, readRetryAfter, retryDelay } from "./retry-policy.ts";

describe("retryDelay", () => {
  test("is drawn from the whole range up to a doubling, capped ceiling", () => {
    const policy = { ...defaultRetryPolicy, retries: 9 };
    const longest = (attempt: number) => retryDelay(attempt, undefined, policy, () => 1);
    expect([1, 2, 3, 5, 9].map(longest)).toEqual([500, 1_000, 2_000, 8_000, 8_000]);
    expect(retryDelay(9, undefined, policy, () => 0)).toBe(0);
  });

  test("ends after the allowed number", () => {
    expect(retryDelay(2, undefined, defaultRetryPolicy, () => 0)).toBe(0);
    expect(retryDelay(3, undefined, defaultRetryPolicy, () => 0)).toBeUndefined();
  });

  test("waits out a short retry-after, with jitter on top, and no long one", () => {
    expect(retryDelay(1, 4_000, defaultRetryPolicy, () => 1)).toBe(4_500);
    expect(retryDelay(1, 10_001, defaultRetryPolicy, () => 0)).toBeUndefined();
  });
});

test.each([
  [{ "retry-after": "3" }, 3_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "3", "retry-after-ms": "120" }, 120],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:05 GMT" }, 4_000],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after": "-5" }, undefined],
  [{}, undefined],
] as const)("%j waits %s ms", (headers, expected) => {
  expect(readRetryAfter(headers, 1_000)).toBe(expected);
});

test("the budget lets a fifth retry, at least three, and frees their places", () => {
  const budget = createRetryBudget();
  const leave = Array.from({ length: 50 }, () => budget.enter());
  const retries = Array.from({ length: 12 }, () => budget.retry());
  expect(retries.filter((end) => end !== undefined)).toHaveLength(10);
  for (const end of retries) end?.();
  for (const go of leave) go();
  expect(Array.from({ length: 5 }, () => budget.retry()).filter((end) => end !== undefined)).toHaveLength(3);
});
