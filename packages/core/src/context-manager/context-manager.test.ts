import { longDraft, toOpenaiChat } from "@midfold/testkit";
import { describe, expect, it } from "vitest";
import { formats } from "../formats/formats.ts";
import type { Summarizer } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { ContextCompactor } from "./context-compactor.ts";
import { ContextManager } from "./context-manager.ts";
import { TruncationMode } from "./truncation-mode.ts";
import {
  CompositeStrategy,
  SelectiveTruncationStrategy,
  SlidingWindowStrategy,
  SmartTruncationStrategy,
  TokenBudgetStrategy,
} from "./truncation-strategy.ts";

const counter = getCounter("gpt-4");
const chat = toOpenaiChat(longDraft({ turns: 80, seed: 5, toolShare: 0.3 }));
const count = (messages: readonly unknown[]) => counter.countMessages(formats["openai-chat"].decode(messages));
const good: Summarizer = {
  name: "good",
  summarize: async () => ({ text: "The work so far, in one sentence.", finish: "complete" }),
};

describe("R2 FR-3 truncation strategies", () => {
  const target = 6_000;

  it.each([
    ["sliding window", new SlidingWindowStrategy()],
    ["token budget", new TokenBudgetStrategy()],
    ["smart", new SmartTruncationStrategy()],
    ["selective", new SelectiveTruncationStrategy()],
    ["composite", new CompositeStrategy([new SelectiveTruncationStrategy(), new SmartTruncationStrategy()])],
  ])("%s fits the target, keeps the system prompt and the newest message", (_, strategy) => {
    const out = strategy.truncate(chat, target, counter);
    expect(count(out)).toBeLessThanOrEqual(target);
    expect(out[0]).toBe(chat[0]);
    expect(out.at(-1)).toBe(chat.at(-1));
  });

  it("FR-3.2 keeps at most the window size, besides system prompt and last user message", () => {
    const plain = chat.filter(
      (message) => message.role === "user" || (message.role === "assistant" && !message.tool_calls),
    );
    const out = new SlidingWindowStrategy({ windowSize: 4 }).truncate(plain, count(plain) - 1, counter);
    expect(out).toEqual(plain.slice(-4));
  });

  it("FR-3.5 smart keeps the first two and the last ten", () => {
    const plain = Array.from({ length: 40 }, (_, i) => ({
      role: i % 2 ? "assistant" : "user",
      content: `message ${i} ${"x ".repeat(50)}`,
    }));
    const out = new SmartTruncationStrategy().truncate(plain, 1_200, counter);
    expect(out).toEqual([...plain.slice(0, 2), ...plain.slice(-10)]);
  });
});

describe("R2 FR-5 ContextManager", () => {
  const filled = (mode: TruncationMode, llm?: Summarizer) => {
    const manager = new ContextManager<(typeof chat)[number]>("gpt-4", mode, llm);
    manager.setSystemPrompt("You are careful.");
    for (const message of chat.slice(1)) manager.addMessage(message);
    return manager;
  };

  it.each(Object.values(TruncationMode))("never exceeds the model's limit in mode %s", (mode) => {
    const manager = filled(mode);
    const context = manager.getContextForRequest();
    const { maxTokens, maxOutputTokens } = manager.tracker.limits;
    expect(count(context)).toBeLessThanOrEqual(maxTokens - maxOutputTokens);
    expect(context[0]).toEqual({ role: "system", content: "You are careful." });
    expect(manager.tokenUsage + manager.availableTokens).toBeLessThanOrEqual(maxTokens - maxOutputTokens);
    expect(manager.history).toHaveLength(chat.length - 1);
  });

  it("compacts when usage is over the threshold, and the summary is used from then on", async () => {
    const manager = filled(TruncationMode.SUMMARIZE, good);
    expect(await manager.compactIfNeeded()).toBe(true);
    expect(JSON.stringify(manager.getMessages())).toContain("The work so far");
    expect(await manager.compactIfNeeded()).toBe(false);
    manager.addMessage({ role: "user", content: "And now?" });
    expect(JSON.stringify(manager.getMessages())).toContain("The work so far");
  });

  it("falls back when summarization fails", async () => {
    const broken: Summarizer = { name: "broken", summarize: () => Promise.reject(new Error("down")) };
    const manager = filled(TruncationMode.SUMMARIZE, broken);
    await manager.compactIfNeeded();
    const { maxTokens, maxOutputTokens } = manager.tracker.limits;
    expect(count(manager.getContextForRequest())).toBeLessThanOrEqual(maxTokens - maxOutputTokens);
  });

  it("does nothing below the threshold", async () => {
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, good);
    manager.addMessage({ role: "user", content: "Hi" });
    expect(await manager.compactIfNeeded()).toBe(false);
    expect(manager.getMessages()).toEqual([{ role: "user", content: "Hi" }]);
  });

  it("skips a message of invalid format and says so", () => {
    const manager = new ContextManager("gpt-4");
    expect(manager.addMessage({ role: 7 } as never)).toBe(false);
    expect(manager.addMessage({ role: "user", content: "ok" })).toBe(true);
    expect(manager.history).toHaveLength(1);
  });

  it("uses default limits for an unknown model", () => {
    const manager = new ContextManager("nobody-knows-this");
    manager.addMessage({ role: "user", content: "ok" });
    expect(manager.availableTokens).toBeGreaterThan(0);
  });

  it("refuses a mode that does not exist", () => {
    expect(() => new ContextManager("gpt-4", "clever" as never)).toThrow(/no truncation mode "clever"/);
  });

  it("resets, and goes on from a snapshot", async () => {
    const manager = filled(TruncationMode.SUMMARIZE, good);
    await manager.compactIfNeeded();
    const other = new ContextManager<(typeof chat)[number]>("gpt-4", TruncationMode.SUMMARIZE, good);
    other.restore(structuredClone(manager.snapshot()));
    expect(JSON.stringify(other.getContextForRequest())).toBe(JSON.stringify(manager.getContextForRequest()));
    manager.reset();
    expect(manager.getMessages()).toEqual([]);
  });
});

describe("R2 FR-4 ContextCompactor", () => {
  it("compacts to the target with a summary message", async () => {
    const out = await new ContextCompactor(good).compact(chat, 5_000, counter);
    expect(count(out)).toBeLessThanOrEqual(5_000);
    expect(JSON.stringify(out)).toContain("The work so far");
  });

  it("summarizes messages, and refuses an empty list", async () => {
    const compactor = new ContextCompactor(good, { summaryPrompt: "Sum up: {conversation_history}" });
    expect(await compactor.summarizeMessages(chat.slice(0, 10))).toBe("The work so far, in one sentence.");
    await expect(compactor.summarizeMessages([])).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });
});
