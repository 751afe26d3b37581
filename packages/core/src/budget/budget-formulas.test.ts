import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatBudget, needsChatFold, thresholdFor } from "./chat-budget.ts";
import { maxReserveShare, outputReserve } from "./output-reserve.ts";
import { requestBudget } from "./request-budget.ts";
import { needsSandwich } from "./sandwich-trigger.ts";

describe("output reserve", () => {
  test("is what was asked, within what the model writes, while the input keeps any room", () => {
    expect(outputReserve({ window: 128_000, maxOutput: 16_384, asked: 1_000 })).toBe(1_000);
    expect(outputReserve({ window: 128_000, maxOutput: 16_384, asked: 128_000 })).toBe(16_384);
    expect(outputReserve({ window: 32_000, maxOutput: 32_000, asked: 16_000 })).toBe(16_000);
    expect(outputReserve({ window: 32_000, maxOutput: 32_000, asked: 31_899 })).toBe(31_899);
    expect(outputReserve({ window: 32_000, maxOutput: 32_000, asked: 31_900 })).toBe(8_000);
    expect(outputReserve({ window: 32_000, maxOutput: 32_000, asked: 128_000 })).toBe(8_000);
  });

  test("is what the model can write where nothing was asked, or a quarter where that is more than half", () => {
    expect(outputReserve({ window: 128_000, maxOutput: 16_384 })).toBe(16_384);
    expect(outputReserve({ window: 128_000, maxOutput: 16_384, asked: 0 })).toBe(16_384);
    expect(outputReserve({ window: 32_000, maxOutput: 16_000 })).toBe(16_000);
    expect(outputReserve({ window: 32_000, maxOutput: 16_001 })).toBe(8_000);
  });

  test("always leaves room for the input, and half of the window where nothing was asked", () => {
    const whole = fc.integer({ min: 200, max: 2_000_000 });
    fc.assert(
      fc.property(whole, whole, fc.option(fc.integer(), { nil: undefined }), (window, maxOutput, asked) => {
        const reserve = outputReserve({ window, maxOutput, asked });
        expect(reserve).toBeGreaterThanOrEqual(0);
        expect(reserve).toBeLessThan(window - 100);
        if (asked === undefined || asked <= 0) expect(reserve).toBeLessThanOrEqual(window * maxReserveShare);
      }),
    );
  });
});

describe("request budget", () => {
  test("window − max completion − 100", () => {
    expect(requestBudget({ window: 128_000, maxOutput: 16_384, maxCompletionTokens: 4_000 })).toEqual({
      window: 128_000,
      outputReserve: 4_000,
      outputLowered: false,
      safetyTokens: 100,
      budget: 123_900,
    });
  });

  test("window − max completion − 100 also above half of the window", () => {
    const at = (maxCompletionTokens: number) => requestBudget({ window: 8_192, maxOutput: 8_192, maxCompletionTokens });
    expect(at(4_096).budget).toBe(3_996);
    expect(at(4_097)).toMatchObject({ outputReserve: 4_097, outputLowered: false, budget: 3_995 });
    expect(at(8_000).budget).toBe(92);
  });

  test("a client that asks for more than there is keeps room for input, and is told that its limit was lowered", () => {
    const {
      budget,
      outputReserve: reserve,
      outputLowered,
    } = requestBudget({
      window: 32_768,
      maxOutput: 128_000,
      maxCompletionTokens: 128_000,
    });
    expect([reserve, budget, outputLowered]).toEqual([8_192, 24_476, true]);
  });

  test("an input cap below the window holds", () => {
    const budget = requestBudget({
      window: 400_000,
      maxOutput: 128_000,
      maxInput: 272_000,
      maxCompletionTokens: 1_000,
    });
    expect(budget.budget).toBe(272_000);
  });

  test("a tiny window gives zero, not less", () => {
    expect(requestBudget({ window: 120, maxOutput: 60 }).budget).toBe(0);
  });
});

describe("chat budget", () => {
  test("95 % of the window, less the reply and the new input; the other 5 % stay empty", () => {
    expect(chatBudget({ window: 128_000, maxOutput: 16_384, inputTokens: 500 })).toEqual({
      window: 128_000,
      threshold: 0.95,
      reserve: { input: 500, output: 16_384, margin: 6_400 },
      budget: 128_000 * 0.95 - 16_384 - 500,
    });
  });

  test("a lower threshold folds earlier; a higher one cannot eat the margin", () => {
    const at = (threshold: number) => chatBudget({ window: 100_000, maxOutput: 10_000, threshold }).budget;
    expect([at(0.8), at(0.95), at(1)]).toEqual([70_000, 85_000, 85_000]);
  });

  test("estimates use a stricter threshold", () => {
    expect(thresholdFor(0.95, true)).toBe(0.95);
    expect(thresholdFor(0.95, false)).toBeCloseTo(0.8075);
    const exact = chatBudget({ window: 100_000, maxOutput: 10_000 });
    const estimated = chatBudget({ window: 100_000, maxOutput: 10_000, exact: false });
    expect(estimated.budget).toBeLessThan(exact.budget);
  });

  test("nothing is folded below 2000 tokens", () => {
    const budget = chatBudget({ window: 2_000, maxOutput: 1_000 });
    expect(budget.budget).toBe(900);
    expect(needsChatFold(1_999, budget)).toBe(false);
    expect(needsChatFold(2_000, budget)).toBe(true);
    expect(needsChatFold(1_999, budget, 0)).toBe(true);
    expect(needsChatFold(900, budget, 0)).toBe(false);
  });
});

describe("sandwich trigger", () => {
  test("over 70 % and more than 10 messages", () => {
    const at = (tokens: number, messages: number) => needsSandwich({ window: 10_000, tokens, messages });
    expect(at(7_000, 11)).toBe(false);
    expect(at(7_001, 11)).toBe(true);
    expect(at(7_001, 10)).toBe(false);
  });

  test("its numbers are parameters", () => {
    const options = { window: 10_000, tokens: 5_001, messages: 5, preserveTop: 2, preserveBottom: 2, threshold: 0.5 };
    expect(needsSandwich(options)).toBe(true);
  });
});

test("a refused window is named in the details", () => {
  expect(() => requestBudget({ window: 0, maxOutput: 1 })).toThrow(expect.objectContaining({ details: { window: 0 } }));
});

test.each([0, -1, Number.NaN])("a window of %d is refused everywhere", (window) => {
  expect(() => requestBudget({ window, maxOutput: 1 })).toThrow("Context limit must be positive");
  expect(() => chatBudget({ window, maxOutput: 1 })).toThrow("Context limit must be positive");
  expect(() => needsSandwich({ window, tokens: 1, messages: 1 })).toThrow("Context limit must be positive");
});
