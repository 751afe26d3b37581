import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { budgetOf } from "./budget-of.ts";
import { foldSync } from "./fold-sync.ts";
import { breakEvenCalls, cachePrices, growthPerCall, lowWaterShare } from "./low-water.ts";

describe("how full a fold leaves the room of a session with a prompt cache", () => {
  it("prices are shares of an input token's; the usual ones where a model's are not known", () => {
    const usual = { read: 0.1, write: 1.25 };
    expect(cachePrices({ input: 2, cacheRead: 0.5, cacheWrite: 3 })).toEqual({ read: 0.25, write: 1.5 });
    expect(cachePrices({ input: 2, cacheRead: 0.5 })).toEqual({ read: 0.25, write: 1 });
    expect(cachePrices({ input: 2, cacheRead: 0.5, cacheWrite: 0 })).toEqual({ read: 0.25, write: 1 });
    expect(cachePrices({ cacheRead: 0.5 })).toEqual(usual);
    expect(cachePrices({ input: 0, cacheRead: 0.5 })).toEqual(usual);
    expect(cachePrices({ input: 2 })).toEqual(usual);
  });

  it("a conversation grows by what it weighs for each call of the model", () => {
    const said = (role: Message["role"]): Message => ({ role, parts: [] });
    expect(growthPerCall([said("user"), said("assistant"), said("tool"), said("assistant")], 900)).toBe(450);
    expect(growthPerCall([said("user"), said("user")], 900)).toBe(900);
    expect(growthPerCall([said("assistant")], 900)).toBe(900);
  });

  it("is fuller where calls add little, and emptier where a new prefix is dear", () => {
    const prices = { read: 0.1, write: 1.25 };
    // 1 − √(1.25 · 500 ÷ (0.06 · 60000))
    expect(lowWaterShare(60_000, 500, prices)).toBeCloseTo(0.5833, 3);
    expect(lowWaterShare(60_000, 500, { read: 0.1, write: 1 })).toBeCloseTo(0.6273, 3);
    expect(lowWaterShare(60_000, 1000, prices)).toBeCloseTo(0.4107, 3);
  });

  it("never above 70 %, and never below a floor that is higher in small rooms", () => {
    const prices = { read: 0.1, write: 1.25 };
    expect(lowWaterShare(1_000_000, 10, prices)).toBe(0.7);
    expect(lowWaterShare(100_000, 100_000, prices)).toBe(0.2);
    expect(lowWaterShare(50_000, 100_000, prices)).toBe(0.2);
    expect(lowWaterShare(25_000, 100_000, prices)).toBeCloseTo(0.3, 10);
    expect(lowWaterShare(0, 100_000, prices)).toBeCloseTo(0.4, 10);
  });
});

describe("what a request may cost", () => {
  const counter = getCounter("gpt-4o");
  const preset = { ...presets.agent, safetyTokens: 50, safetyPercent: 1 };
  const model = { window: 10_000, maxOutput: 2000, maxInput: 5000 };

  it("the window less the reply and the preset's safety; no more than the model takes in", () => {
    expect(budgetOf({ maxOutputTokens: 1000 }, preset, { window: 10_000, maxOutput: 2000 }, counter)).toMatchObject({
      window: 10_000,
      budget: 10_000 - 1000 - 50 - 100,
    });
    const limited = budgetOf({ maxOutputTokens: 1000 }, preset, model, counter).budget;
    expect(limited).toBeLessThanOrEqual(5000);
    // A window that the caller states is about another deployment: the model's own limit is not.
    expect(budgetOf({ maxOutputTokens: 1000, window: 10_000 }, preset, model, counter).budget).toBe(8850);
  });

  it("is smaller by the error of a count that is an estimate", () => {
    const sizes = { window: 10_000, maxOutput: 2000 };
    const counting = (errorBound?: number) => ({ exact: false, errorBound }) as typeof counter;
    expect(budgetOf({ maxOutputTokens: 1000 }, preset, sizes, counting(0.25)).budget).toBe(7080);
    expect(budgetOf({ maxOutputTokens: 1000 }, preset, sizes, counting()).budget).toBe(Math.floor(8850 / 1.05));
    expect(budgetOf({ budget: 777 }, preset, sizes, counting(0.25)).budget).toBe(777);
  });

  it.each([0, -1, Number.NaN])("a window or a budget of %d is refused", (size) => {
    expect(() => budgetOf({ window: size }, preset, model, counter)).toThrow(
      expect.objectContaining({
        code: "VALIDATION_ERROR",
        message: `Context limit must be positive; window is ${size}.`,
      }),
    );
    expect(() => budgetOf({ budget: size }, preset, model, counter)).toThrow(
      expect.objectContaining({
        code: "VALIDATION_ERROR",
        message: `budget must be a positive number of tokens, not ${size}.`,
      }),
    );
  });
});

describe("when a fold has paid for itself", () => {
  const price = { read: 0.1, write: 1.25 };

  it("is the first call at which all that was paid since is no more than it would have been unfolded", () => {
    for (const [before, after, fixed] of [
      [60_000, 20_000, 4_000],
      [60_000, 50_000, 0],
      [9_000, 3_000, 2_500],
    ] as const) {
      let whole = before * price.read;
      let folded = fixed * price.read + (after - fixed) * price.write;
      let calls = 0;
      for (; folded > whole; calls++) {
        whole += before * price.read;
        folded += after * price.read;
      }
      expect(breakEvenCalls({ before, after, fixed }, price)).toBe(calls);
    }
  });

  it("is never where a cached token costs nothing", () => {
    expect(breakEvenCalls({ before: 9000, after: 3000, fixed: 0 }, { read: 0, write: 1 })).toBeUndefined();
  });

  it("is told of a session that was folded just now, and of nothing else", () => {
    const chat = (length: number) =>
      Array.from({ length }, (_, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content: `Point ${at}: the pump in hall ${at} was looked at, cleaned and put back to work. `.repeat(4),
      }));
    const once = foldSync(chat(60), { model: "gpt-4o", budget: 1500 });
    expect(once.tokens).not.toHaveProperty("breakEvenCalls");
    const state = once.state!;
    const again = foldSync(chat(160), { model: "gpt-4o", budget: 1500, state });
    expect(again.outcome).toBe("folded");
    expect(again.tokens.breakEvenCalls).toBe(breakEvenCalls(again.tokens, { read: 0.5, write: 1 }));
    const grown = foldSync(chat(60), { model: "gpt-4o", budget: 1500, state });
    expect(grown.outcome).toBe("reused");
    expect(grown.tokens).not.toHaveProperty("breakEvenCalls");
  });
});
