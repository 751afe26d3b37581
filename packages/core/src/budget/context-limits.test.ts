import { describe, expect, test } from "vitest";
import type { Warning } from "../errors/warning.ts";
import type { Message } from "../message/message.ts";
import { ContextBudget } from "./context-budget.ts";
import { ContextLimits } from "./context-limits.ts";
import { ContextTracker } from "./context-tracker.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

describe("ContextLimits", () => {
  // Written out, so that the table is not compared with itself.
  test.each([
    { model: "claude-3-opus", maxTokens: 200_000 },
    { model: "claude-3-sonnet", maxTokens: 200_000 },
    { model: "claude-3-haiku", maxTokens: 200_000 },
    { model: "gpt-4-turbo", maxTokens: 128_000 },
    { model: "gpt-4", maxTokens: 8_192 },
    { model: "gpt-3.5-turbo", maxTokens: 16_385 },
    { model: "llama-3-70b", maxTokens: 8_192 },
    { model: "mistral-large", maxTokens: 32_000 },
  ])("of the agent document: $model", ({ model, maxTokens }) => {
    const limits = { model, maxTokens, maxOutputTokens: 4_096, reservedTokens: 1_000 };
    expect(ContextLimits.forModel(model)).toMatchObject(limits);
  });

  test("an unknown model gets default limits and a warning", () => {
    const warnings: Warning[] = [];
    const limits = ContextLimits.forModel("nobody-knows", { warn: (warning) => warnings.push(warning) });
    expect(limits.maxTokens).toBe(32_768);
    expect(warnings[0]?.code).toBe("unknown-model");
  });

  test("overrides of the caller beat the table", () => {
    expect(ContextLimits.forModel("gpt-4", { overrides: { "gpt-4": { window: 5_000 } } }).maxTokens).toBe(5_000);
  });

  test("input is the window less reply and reserve, and never nothing", () => {
    expect(new ContextLimits({ model: "m", maxTokens: 10_000, maxOutputTokens: 2_000 }).inputTokens).toBe(7_000);
    expect(new ContextLimits({ model: "m", maxTokens: 1_000, maxOutputTokens: 1_000 }).inputTokens).toBe(500);
    expect(() => new ContextLimits({ model: "m", maxTokens: 0, maxOutputTokens: 1 })).toThrow(/must be positive/);
  });
});

describe("ContextBudget", () => {
  test("available is what system prompt, tools and reply leave", () => {
    const budget = new ContextBudget({ total: 10_000, systemPrompt: 500, tools: 1_500, responseReserve: 2_000 });
    expect(budget.available).toBe(6_000);
    expect(budget.conversation).toBe(6_000);
  });

  test("a cap on the conversation holds, and cannot exceed what is left", () => {
    expect(new ContextBudget({ total: 10_000, conversation: 3_000 }).available).toBe(3_000);
    expect(new ContextBudget({ total: 1_000, tools: 800, conversation: 3_000 }).available).toBe(200);
    expect(new ContextBudget({ total: 1_000, tools: 5_000 }).available).toBe(0);
  });

  test("a share of the window can be set", () => {
    const limits = new ContextLimits({ model: "m", maxTokens: 100_000, maxOutputTokens: 10_000 });
    expect(ContextBudget.forLimits(limits).available).toBe(89_000);
    expect(ContextBudget.forLimits(limits, { maxContextShare: 0.5, systemPrompt: 1_000 }).available).toBe(38_000);
  });

  test("negative parts are refused", () => {
    expect(() => new ContextBudget({ total: 100, tools: -1 })).toThrow(/ContextBudget.tools/);
  });
});

describe("ContextTracker", () => {
  const limits = new ContextLimits({ model: "gpt-4o", maxTokens: 100, maxOutputTokens: 40, reservedTokens: 10 });

  test("adding one by one weighs the same as counting the list", () => {
    const messages = ["hello there", "how are you?", "fine"].map(user);
    const whole = new ContextTracker("gpt-4o");
    whole.update(messages);
    const growing = new ContextTracker("gpt-4o");
    const each = messages.map((message) => growing.addMessage(message));
    expect(growing.currentTokens).toBe(whole.currentTokens);
    expect(each).toEqual(messages.map((message) => growing.counter.countMessage(message)));
  });

  test("says when and by how much it is over", () => {
    const tracker = new ContextTracker("gpt-4o", { limits });
    expect(tracker.availableTokens()).toBe(50);
    tracker.addMessage(user("word ".repeat(20)));
    expect(tracker.exceedsLimit()).toBe(false);
    expect(tracker.availableTokens()).toBe(50 - tracker.currentTokens);
    tracker.addMessage(user("word ".repeat(40)));
    expect(tracker.exceedsLimit()).toBe(true);
    expect(tracker.overflowAmount()).toBe(tracker.currentTokens - 50);
    expect(tracker.availableTokens()).toBe(0);
    tracker.update([]);
    expect(tracker.currentTokens).toBe(0);
  });

  test("is not over at exactly its limit", () => {
    const counter = {
      ...new ContextTracker("gpt-4o").counter,
      countMessages: () => 50,
      countMessage: () => 50,
    } as never;
    const tracker = new ContextTracker("gpt-4o", { limits, counter });
    tracker.update([user("x")]);
    expect([tracker.exceedsLimit(), tracker.overflowAmount(), tracker.availableTokens()]).toEqual([false, 0, 0]);
  });

  test("takes the model's limits when none are given", () => {
    expect(new ContextTracker("gpt-4").limits.maxTokens).toBe(8_192);
  });
});
