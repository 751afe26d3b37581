import { describe, expect, it } from "vitest";
import type { Summarizer } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { type ContextState, isStateValid } from "./context-state.ts";
import { fullHistoryStrategy, sandwichStrategy, slidingWindowStrategy, treeSummaryStrategy } from "./strategies.ts";

const now = () => new Date("2026-11-15T10:00:00Z");
const conversation = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message number ${index}. ${"Some more words to fill it up. ".repeat(12)}`,
  }));
const model = (text = "A summary by a model."): Summarizer & { calls: number } => ({
  name: "model",
  calls: 0,
  async summarize() {
    this.calls++;
    return { text, finish: "complete" };
  },
});
const down: Summarizer = { name: "down", summarize: () => Promise.reject(new Error("no")) };

describe("R3 sandwich strategy", () => {
  const strategy = sandwichStrategy({ now });
  const messages = conversation(40);
  const limit = 3_000;

  it("has the defaults of the document", () => {
    expect(strategy).toMatchObject({ name: "sandwich", preserveTop: 5, preserveBottom: 5, compressionThreshold: 0.7 });
  });

  it("CX-T1 under threshold returns full history", () => {
    const result = strategy.buildContext(messages, undefined, 100_000);
    expect(result.messages).toBe(messages);
    expect(result.summaryUsed).toBe(false);
    expect(result.newState).toBeUndefined();
  });

  it("CX-T2 over threshold triggers compression", () => {
    expect(strategy.needsCompression(messages, limit)).toBe(true);
    const result = strategy.buildContext(messages, undefined, limit);
    expect(result.summaryUsed).toBe(true);
    expect(result.tokensUsed).toBeLessThan(limit);
    expect(result.newState).toMatchObject({
      strategy: "sandwich",
      summaryRange: [5, 35],
      compressedAt: now().toISOString(),
    });
  });

  it("CX-T3 top 5 messages are preserved", () => {
    expect(strategy.buildContext(messages, undefined, limit).messages.slice(0, 5)).toEqual(messages.slice(0, 5));
  });

  it("CX-T4 bottom 5 messages are preserved", () => {
    expect(strategy.buildContext(messages, undefined, limit).messages.slice(-5)).toEqual(messages.slice(-5));
  });

  it("CX-T5 cached summary is reused when valid", async () => {
    const summarizer = model();
    const first = await strategy.buildContextWith(summarizer, messages, undefined, limit);
    const second = await strategy.buildContextWith(summarizer, messages, first.newState, limit);
    expect(summarizer.calls).toBe(1);
    expect(second.newState).toBeUndefined();
    expect(second.messages).toEqual(first.messages);
    expect(strategy.buildContext(messages, first.newState, limit).messages).toEqual(first.messages);
  });

  it("CX-T6 cache is invalidated when the middle grows, or the strategy changes", async () => {
    const summarizer = model();
    const { newState } = await strategy.buildContextWith(summarizer, messages, undefined, limit);
    const grown = await strategy.buildContextWith(summarizer, conversation(42), newState, limit);
    expect(summarizer.calls).toBe(2);
    expect(grown.newState?.summaryRange).toEqual([5, 37]);
    const use = { strategy: "sandwich", preserveTop: 5, preserveBottom: 5, messageCount: 40 };
    expect(isStateValid(newState, use)).toBe(true);
    expect(isStateValid(newState, { ...use, strategy: "other" })).toBe(false);
    expect(isStateValid(newState, { ...use, preserveTop: 4 })).toBe(false);
    expect(isStateValid(undefined, use)).toBe(false);
  });

  it("CX-T7 the summary is a system message between top and bottom", async () => {
    const { messages: out } = await strategy.buildContextWith(model("It went well."), messages, undefined, limit);
    expect(out).toHaveLength(11);
    expect(out[5]).toEqual({ role: "system", content: "[Earlier conversation summary: It went well.]" });
  });

  it("CX-T8 token estimation is reasonably accurate", () => {
    const { tokensUsed } = strategy.buildContext(messages, undefined, 100_000);
    const characters = messages.reduce((sum, message) => sum + message.content.length, 0);
    expect(tokensUsed).toBeGreaterThan(characters / 8);
    expect(tokensUsed).toBeLessThan(characters / 2);
  });

  it("does not compress ten messages or fewer", () => {
    expect(strategy.needsCompression(conversation(10), 100)).toBe(false);
  });

  it("CX-NT1 zero max_context_tokens is a VALIDATION_ERROR", () => {
    expect(() => strategy.buildContext(messages, undefined, 0)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", message: "Context limit must be positive." }),
    );
    expect(() => strategy.buildContext([], undefined, 100)).toThrow(/Conversation has no messages/);
  });

  it("CX-NT2 compress with empty messages is a VALIDATION_ERROR", async () => {
    await expect(strategy.compress([], model())).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("CX-NT3 a model failure is SERVICE_UNAVAILABLE and the cached summary stays as it was", async () => {
    const cached: ContextState = { strategy: "sandwich", summary: "old", summaryRange: [5, 30], compressedAt: "x" };
    const before = structuredClone(cached);
    await expect(strategy.buildContextWith(down, messages, cached, limit)).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    expect(cached).toEqual(before);
  });
});

describe("R3 alternative strategies", () => {
  const messages = conversation(60);

  it("sliding window keeps the last N", () => {
    const { messages: out, summaryUsed } = slidingWindowStrategy({ now, keepLast: 6 }).buildContext(
      messages,
      undefined,
      3_000,
    );
    expect(out).toEqual(messages.slice(-6));
    expect(summaryUsed).toBe(false);
  });

  it("full history never compresses", () => {
    const strategy = fullHistoryStrategy({ now });
    expect(strategy.needsCompression(messages, 10)).toBe(false);
    expect(strategy.buildContext(messages, undefined, 1_000_000).messages).toBe(messages);
  });

  it("tree summarization summarizes the middle", () => {
    const counter = getCounter("gpt-4o");
    const result = treeSummaryStrategy({ now, counter, chunkSize: 10, levels: 2 }).buildContext(
      messages,
      undefined,
      4_000,
    );
    expect(result.summaryUsed).toBe(true);
    expect(result.newState?.strategy).toBe("tree-summary");
  });
});
