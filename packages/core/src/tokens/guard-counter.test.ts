import { describe, expect, it } from "vitest";
import type { Warning } from "../errors/warning.ts";
import { foldSync } from "../fold/fold-sync.ts";
import { getCounter } from "./get-counter.ts";
import { guardCounter, toCounter } from "./guard-counter.ts";
import type { TokenCounter } from "./token-counter.ts";

const broken = (): never => {
  throw new Error("table not loaded");
};
const alwaysBroken: TokenCounter = {
  name: "broken",
  exact: true,
  count: broken,
  countMessage: broken,
  countMessages: broken,
  countTools: broken,
  take: broken,
  takeLast: broken,
};

describe("guardCounter", () => {
  it("falls back to approximate counting, says so once, and leaves a stricter threshold", () => {
    const warnings: Warning[] = [];
    const counter = guardCounter(alwaysBroken, (warning) => warnings.push(warning));
    expect(counter.count("four words stand here")).toBeGreaterThan(2);
    expect(counter.take("four words stand here", 2).length).toBeLessThan(21);
    expect(counter.takeLast("four words stand here", 2).length).toBeLessThan(21);
    expect(counter.countTools([{ name: "search" }])).toBeGreaterThan(0);
    expect(counter.exact).toBe(false);
    expect(counter.errorBound).toBeCloseTo(1 / 0.85 - 1);
    expect(warnings.map((warning) => warning.code)).toEqual(["approximate-count"]);
  });

  it("leaves a working counter as it is, and covers for it when one text fails", () => {
    const warnings: Warning[] = [];
    const good = getCounter("gpt-4o");
    const picky: TokenCounter = {
      ...methodsOf(good),
      count: (text) => (text.includes("\u0000") ? broken() : good.count(text)),
    };
    const counter = guardCounter(picky, (warning) => warnings.push(warning));
    expect(counter.exact).toBe(true);
    expect(counter.count("hello world")).toBe(good.count("hello world"));
    expect(warnings).toEqual([]);
    expect(counter.count("a\u0000b")).toBeGreaterThan(0);
    expect(warnings).toHaveLength(1);
  });

  it("error scenario: a tokenizer that is not available still folds", () => {
    const messages = Array.from({ length: 80 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}. ${"More words follow here. ".repeat(20)}`,
    }));
    const result = foldSync(messages, { counter: alwaysBroken, window: 6_000, maxOutputTokens: 500 });
    expect(result.outcome).toBe("folded");
    expect(result.warnings.map((warning) => warning.code)).toContain("approximate-count");
    expect(result.tokens.budget).toBeLessThan(5_400 * 0.86);
  });
});

function methodsOf(counter: TokenCounter): TokenCounter {
  return {
    name: counter.name,
    exact: counter.exact,
    count: (text) => counter.count(text),
    countMessage: (message) => counter.countMessage(message),
    countMessages: (messages) => counter.countMessages(messages),
    countTools: (tools) => counter.countTools(tools),
    take: (text, maxTokens) => counter.take(text, maxTokens),
    takeLast: (text, maxTokens) => counter.takeLast(text, maxTokens),
  };
}

describe("a function as a counter", () => {
  const chat = Array.from({ length: 80 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${"word ".repeat(200)}${i}`,
  }));
  const byLength = (text: string) => text.length / 3;

  it("counts texts, and messages with what the chat format adds", () => {
    const counter = toCounter(byLength);
    expect(counter.count("1234567")).toBe(3);
    expect(counter.countMessage(chat[0]!)).toBeGreaterThan(counter.count(chat[0]!.content));
    expect(counter.take("1234567890", 2)).toBe("123456");
    expect(toCounter(byLength)).toBe(counter);
  });

  it("folds within the budget it counts", () => {
    const { outcome, tokens, messages, warnings } = foldSync(chat, { window: 8_000, counter: byLength });
    expect(outcome).toBe("folded");
    expect(warnings).toEqual([]);
    expect(tokens.exact).toBe(false);
    expect(toCounter(byLength).countMessages(messages)).toBeLessThanOrEqual(tokens.budget);
  });

  it("is replaced, with a warning, where it does not return a number", () => {
    const { warnings } = foldSync(chat, { window: 8_000, counter: () => Number.NaN });
    expect(warnings.map(({ code }) => code)).toEqual(["approximate-count"]);
  });
});
