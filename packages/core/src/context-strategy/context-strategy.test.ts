import { describe, expect, it } from "vitest";
import type { Warning } from "../errors/warning.ts";
import { formats } from "../formats/formats.ts";
import type { Summarizer, SummaryRequest } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { createContextService } from "./context-service.ts";
import { type ContextState, type ContextStates, isStateValid } from "./context-state.ts";
import { fullHistoryStrategy, sandwichStrategy, slidingWindowStrategy, treeSummaryStrategy } from "./strategies.ts";

const now = () => new Date("2026-11-15T10:00:00Z");
const conversation = (count: number, filler = 12) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message number ${index}. ${"Some more words to fill it up. ".repeat(filler)}`,
  }));
const model = (
  answer: string | ((request: SummaryRequest) => string) = "A summary by a model.",
): Summarizer & { requests: SummaryRequest[] } => {
  const requests: SummaryRequest[] = [];
  return {
    name: "model",
    requests,
    async summarize(request) {
      requests.push(request);
      return { text: typeof answer === "string" ? answer : answer(request), finish: "complete" };
    },
  };
};
const down: Summarizer = { name: "down", summarize: () => Promise.reject(new Error("no")) };

describe("sandwich strategy", () => {
  const strategy = sandwichStrategy({ now });
  const messages = conversation(40);
  const limit = 3_000;

  it("has the defaults of the document, and needs no options", () => {
    const defaults = { name: "sandwich", preserveTop: 5, preserveBottom: 5, compressionThreshold: 0.7 };
    expect(strategy).toMatchObject(defaults);
    expect(sandwichStrategy()).toMatchObject(defaults);
    const before = Date.now();
    const made = sandwichStrategy({}).buildContext(messages, undefined, limit).newState!.compressedAt;
    expect(made).toBeGreaterThanOrEqual(before);
    expect(made).toBeLessThanOrEqual(Date.now());
  });

  it("CX-T1 under threshold returns full history", () => {
    const result = strategy.buildContext(messages, undefined, 100_000);
    expect(result.messages).toBe(messages);
    expect(result.summaryUsed).toBe(false);
    expect(result.newState).toBeUndefined();
  });

  it("CX-T2 over threshold triggers compression, and exactly at it does not", () => {
    const counter = getCounter("len/4");
    const byLength = sandwichStrategy({ now, counter: "len/4" });
    const even = Array.from({ length: 20 }, () => ({ role: "user", content: "x".repeat(140) }));
    expect(counter.countMessages(formats["openai-chat"].decode(even))).toBe(700);
    expect(byLength.needsCompression(even, 1_000)).toBe(false);
    expect(byLength.needsCompression(even, 999)).toBe(true);
    const result = strategy.buildContext(messages, undefined, limit);
    expect(result.summaryUsed).toBe(true);
    expect(result.tokensUsed).toBeLessThan(limit);
    const sent = formats["openai-chat"].decode(result.messages as never);
    expect(result.tokensUsed).toBe(getCounter("gpt-4o").countMessages(sent));
    expect(result.newState).toMatchObject({
      strategy: "sandwich",
      summaryRange: [5, 35],
      compressedAt: now().getTime(),
    });
  });

  it.each([
    ["room for them", 3_000],
    ["no room at all", 100],
  ])("CX-T3 CX-T4 the first and the last five messages always stay: %s", async (_, maximum) => {
    for (const { messages: out } of [
      strategy.buildContext(messages, undefined, maximum),
      await strategy.buildContextWith(model(), messages, undefined, maximum),
    ]) {
      expect(out).toHaveLength(11);
      expect(out.slice(0, 5).every((message, index) => message === messages[index])).toBe(true);
      expect(out.slice(-5).every((message, index) => message === messages[35 + index])).toBe(true);
    }
  });

  it("a tool exchange over a boundary widens the end it reaches into", async () => {
    const call = (id: string) => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }],
    });
    const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "seen ".repeat(80) });
    const plain = conversation(24);
    const chat = [
      ...plain.slice(0, 4),
      call("a"),
      result("a"),
      ...plain.slice(4, 20),
      call("b"),
      result("b"),
      ...plain.slice(20, 24),
    ];
    const { messages: out } = await strategy.buildContextWith(model(), chat, undefined, 1_500);
    expect(out.slice(0, 6)).toEqual(chat.slice(0, 6));
    expect(out[6]).toMatchObject({ role: "system" });
    expect(out.slice(7)).toEqual(chat.slice(-6));
  });

  it("a pinned message and instructions in the middle stay, after the summary", () => {
    const chat = conversation(40);
    const pinned = { ...chat[20]!, pinned: true };
    const rule = { role: "system", content: "From now on answer in French." };
    const { messages: out } = strategy.buildContext(
      [...chat.slice(0, 20), pinned, rule, ...chat.slice(21)],
      undefined,
      limit,
    );
    expect(out.slice(6, 8)).toEqual([pinned, rule]);
    expect(out).toHaveLength(13);
  });

  it("a small middle is summarized, not dropped, and the summary is not longer than it must be", async () => {
    const big = conversation(11, 60);
    big[5] = { role: "user", content: "Use port 8431." };
    const summarizer = model("The user asked for port 8431 to be used in all of the examples that follow.");
    const result = await strategy.buildContextWith(summarizer, big, undefined, 3_000);
    expect(result.summaryUsed).toBe(true);
    expect(result.newState?.summary).toContain("8431");
    expect(result.messages[5]).toMatchObject({ role: "system", content: expect.stringContaining("8431") });
    expect(summarizer.requests).toHaveLength(1);
    const digested = strategy.buildContext(big, undefined, 3_000);
    expect(digested.summaryUsed).toBe(true);
    expect(JSON.stringify(digested.messages[5])).toContain("8431");
  });

  it("CX-T5 cached summary is reused when valid", async () => {
    const summarizer = model();
    const first = await strategy.buildContextWith(summarizer, messages, undefined, limit);
    const second = await strategy.buildContextWith(summarizer, messages, first.newState, limit);
    expect(summarizer.requests).toHaveLength(1);
    expect(second.newState).toBeUndefined();
    expect(second.summaryUsed).toBe(true);
    expect(second.messages).toEqual(first.messages);
    expect(strategy.buildContext(messages, first.newState, limit).messages).toEqual(first.messages);
  });

  it("CX-T6 cache is invalidated when the middle grows, or the strategy changes", async () => {
    const summarizer = model();
    const { newState } = await strategy.buildContextWith(summarizer, messages, undefined, limit);
    const grown = await strategy.buildContextWith(summarizer, conversation(42), newState, limit);
    expect(summarizer.requests).toHaveLength(2);
    expect(grown.newState?.summaryRange).toEqual([5, 37]);
    const use = { strategy: "sandwich", preserveTop: 5, preserveBottom: 5, messageCount: 40 };
    expect(isStateValid(newState, use)).toBe(true);
    expect(isStateValid(newState, { ...use, strategy: "other" })).toBe(false);
    expect(isStateValid(newState, { ...use, preserveTop: 4 })).toBe(false);
    expect(isStateValid(newState, { ...use, messageCount: 41 })).toBe(false);
    expect(isStateValid(undefined, use)).toBe(false);
  });

  it("CX-T7 the summary is a system message between top and bottom", async () => {
    const { messages: out } = await strategy.buildContextWith(model("It went well."), messages, undefined, limit);
    expect(out).toHaveLength(11);
    expect(out[5]).toEqual({ role: "system", content: "[Earlier conversation summary: It went well.]" });
  });

  it("CX-T7 where a protocol has no system message in the list, roles still take turns", async () => {
    const blocks = conversation(40).map(({ role, content }) => ({ role, content: [{ type: "text", text: content }] }));
    const { messages: out } = await strategy.buildContextWith(model("It went well."), blocks, undefined, limit);
    const roles = out.map(({ role }) => role);
    expect(JSON.stringify(out)).toContain("[Earlier conversation summary: It went well.]");
    expect(roles.every((role, index) => role !== roles[index + 1])).toBe(true);
  });

  it("CX-T7 after a system prompt and a question alone, an alternating protocol still gets its turns", async () => {
    const say = (role: string, index: number) => ({
      role,
      content: [{ type: "text", text: `Message number ${index}. ${"Some more words to fill it up. ".repeat(12)}` }],
    });
    const blocks = Array.from({ length: 40 }, (_, index) => say(index % 2 === 0 ? "user" : "assistant", index));
    for (const preserveTop of [1, 2, 3, 4]) {
      for (const preserveBottom of [4, 5]) {
        const { messages: out } = await sandwichStrategy({ preserveTop, preserveBottom }).buildContextWith(
          model("It went well."),
          blocks,
          undefined,
          limit,
        );
        const roles = out.map(({ role }) => role);
        expect(roles.every((role, index) => role !== roles[index + 1])).toBe(true);
        expect(out.slice(0, preserveTop)).toEqual(blocks.slice(0, preserveTop));
        expect(out.slice(-preserveBottom)).toEqual(blocks.slice(-preserveBottom));
      }
    }
  });

  it("the tokens used are those of what is sent, summary included", async () => {
    const result = await strategy.buildContextWith(model("It went well."), messages, undefined, limit);
    expect(result.tokensUsed).toBe(getCounter("gpt-4o").countMessages(result.messages));
    const own = { ...getCounter("gpt-4o"), name: "own", exact: true, countMessages: () => 9_999 } as never;
    expect(sandwichStrategy({ counter: own }).needsCompression(messages, 10_000)).toBe(true);
  });

  it("one exchange that is nearly everything leaves no middle: the whole is sent", () => {
    const calls = Array.from({ length: 12 }, (_, index) => ({
      id: `c${index}`,
      type: "function",
      function: { name: "look", arguments: "{}" },
    }));
    const chat = [
      { role: "user", content: "Look everywhere." },
      { role: "assistant", content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "seen ".repeat(50) })),
    ];
    expect(strategy.buildContext(chat, undefined, 300).messages).toBe(chat);
  });

  it("a middle in which nothing stands out is quoted from its start", () => {
    const dull = conversation(12).map((message, index) =>
      index === 5 || index === 6 ? { ...message, content: "ok" } : message,
    );
    const { messages: out, newState } = strategy.buildContext(dull, undefined, 800);
    expect(newState?.summary).not.toBe("");
    expect(JSON.stringify(out[5])).toMatch(/ok/);
  });

  it("a malformed message is left out, not refused", () => {
    const broken = [...messages.slice(0, 20), { role: 7 } as never, ...messages.slice(20)];
    expect(strategy.buildContext(broken, undefined, limit).newState?.summaryRange).toEqual([5, 35]);
  });

  it("CX-T8 token estimation is reasonably accurate", () => {
    const { tokensUsed } = strategy.buildContext(messages, undefined, 100_000);
    const exact = getCounter("gpt-4o").countMessages(formats["openai-chat"].decode(messages));
    expect(tokensUsed).toBe(exact);
    const estimated = sandwichStrategy({ counter: "len/4" }).buildContext(messages, undefined, 100_000).tokensUsed;
    expect(estimated).toBe(messages.reduce((sum, { content }) => sum + Math.floor(content.length / 4), 0));
    expect(Math.abs(estimated - exact) / exact).toBeLessThan(0.25);
  });

  it("ten messages or fewer are returned as they are, whatever their size", () => {
    const ten = conversation(10);
    expect(strategy.needsCompression(ten, 100)).toBe(false);
    const result = strategy.buildContext(ten, undefined, 100);
    expect(result).toEqual({ messages: ten, summaryUsed: false, tokensUsed: expect.any(Number) });
    expect(result.tokensUsed).toBeGreaterThan(100);
    expect(strategy.needsCompression(conversation(11), 100)).toBe(true);
  });

  it("prompt: the model gets the document's prompt", async () => {
    const summarizer = model();
    await strategy.compress(messages, summarizer);
    expect(summarizer.requests[0]?.prompt).toContain("Summarize this conversation excerpt concisely. Preserve:");
    expect(summarizer.requests[0]?.prompt).toContain("Message number 39.");
    expect(summarizer.requests[0]?.maxTokens).toBe(2000);
  });

  it("CX-NT1 zero max_context_tokens is a VALIDATION_ERROR", () => {
    for (const limit of [0, -1, Number.NaN]) {
      expect(() => strategy.buildContext(messages, undefined, limit)).toThrow(
        expect.objectContaining({ code: "VALIDATION_ERROR", message: "Context limit must be positive" }),
      );
      expect(() => strategy.needsCompression(messages, limit)).toThrow("Context limit must be positive");
    }
  });

  it("CX-NT2 compress with empty messages is a VALIDATION_ERROR", async () => {
    const summarizer = model();
    const expected = { code: "VALIDATION_ERROR", message: "Conversation has no messages" };
    await expect(strategy.compress([], summarizer)).rejects.toMatchObject(expected);
    expect(summarizer.requests).toHaveLength(0);
    expect(() => strategy.buildContext([], undefined, 100)).toThrow(expect.objectContaining(expected));
  });

  it("CX-NT3 a model failure is SERVICE_UNAVAILABLE and the cached summary stays as it was", async () => {
    const cached: ContextState = { strategy: "sandwich", summary: "old", summaryRange: [5, 30], compressedAt: 1 };
    const before = structuredClone(cached);
    await expect(strategy.buildContextWith(down, messages, cached, limit)).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    expect(cached).toEqual(before);
    await expect(strategy.compress(messages, down)).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: "The model gave no usable summary; nothing was changed.",
      cause: { code: "SUMMARY_FAILED" },
    });
  });
});

describe("context service", () => {
  function memory(): ContextStates & { held: Map<string, ContextState> } {
    const held = new Map<string, ContextState>();
    return {
      held,
      get: async (id) => held.get(id),
      put: async (id, state) => void held.set(id, structuredClone(state)),
      clear: async (id) => void held.delete(id),
    };
  }
  const messages = conversation(40);

  it("stores the state it made, uses it, and makes a new one when the middle grew", async () => {
    const states = memory();
    const summarizer = model();
    const service = createContextService({ strategy: sandwichStrategy({ now }), states, model: summarizer });
    const first = await service.buildContext("c", messages, 3_000);
    expect(states.held.get("c")).toEqual(first.newState);
    const second = await service.buildContext("c", messages, 3_000);
    expect(second.messages).toEqual(first.messages);
    expect(summarizer.requests).toHaveLength(1);
    await service.buildContext("c", conversation(42), 3_000);
    expect(states.held.get("c")?.summaryRange).toEqual([5, 37]);
    await service.buildContext("d", conversation(3), 3_000);
    expect(states.held.has("d")).toBe(false);
  });

  it("a state of another strategy is cleared, and a deleted conversation's too", async () => {
    const states = memory();
    await createContextService({ strategy: sandwichStrategy({ now }), states }).buildContext("c", messages, 3_000);
    expect(states.held.has("c")).toBe(true);
    const sliding = createContextService({ strategy: slidingWindowStrategy({ now }), states });
    await sliding.buildContext("c", messages, 3_000);
    expect(states.held.has("c")).toBe(false);
    await createContextService({ strategy: sandwichStrategy({ now }), states }).buildContext("c", messages, 3_000);
    await sliding.forget("c");
    expect(states.held.has("c")).toBe(false);
  });

  it("CX-NT3 leaves the stored state alone when the model fails", async () => {
    const states = memory();
    const strategy = sandwichStrategy({ now });
    await createContextService({ strategy, states, model: model("old") }).buildContext("c", messages, 3_000);
    const before = structuredClone(states.held.get("c"));
    const broken = createContextService({ strategy, states, model: down });
    await expect(broken.buildContext("c", conversation(50), 3_000)).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    expect(states.held.get("c")).toEqual(before);
  });
});

describe("alternative strategies", () => {
  const messages = conversation(60);

  it("sliding window keeps the last N, and the system prompt", () => {
    const strategy = slidingWindowStrategy({ now, keepLastN: 6 });
    const { messages: out, summaryUsed, newState } = strategy.buildContext(messages, undefined, 3_000);
    expect(out).toEqual(messages.slice(-6));
    expect(summaryUsed).toBe(false);
    expect(newState).toBeUndefined();
    const prompt = { role: "system", content: "You are terse." };
    expect(strategy.buildContext([prompt, ...messages], undefined, 3_000).messages).toEqual([
      prompt,
      ...messages.slice(-6),
    ]);
    expect(slidingWindowStrategy().buildContext(messages, undefined, 3_000).messages).toEqual(messages.slice(-20));
  });

  it("full history never compresses and never throws, however far over the limit it is", async () => {
    const strategy = fullHistoryStrategy();
    expect(strategy.needsCompression(messages, 10)).toBe(false);
    for (const limit of [10, 1_000_000]) {
      expect(strategy.buildContext(messages, undefined, limit).messages).toBe(messages);
      expect((await strategy.buildContextWith(down, messages, undefined, limit)).messages).toBe(messages);
    }
  });

  it.each([
    { chunkSize: 10, levels: 2, sizes: [10, 10, 10, 10, 10, 5] },
    { chunkSize: 10, levels: 1, sizes: [10, 10, 10, 10, 10] },
    { chunkSize: 20, levels: 3, sizes: [20, 20, 10, 3] },
    { chunkSize: 4, levels: 3, sizes: [...Array(12).fill(4), 2, 4, 4, 4, 1, 4] },
    { chunkSize: 50, levels: 3, sizes: [50] },
  ])("tree: chunks of $chunkSize on $levels levels, then texts of texts", async ({ chunkSize, levels, sizes }) => {
    const summarizer = model((request) => `Text ${request.messages.length}.`);
    const strategy = treeSummaryStrategy({ now, chunkSize, levels });
    const result = await strategy.buildContextWith(summarizer, messages, undefined, 4_000);
    expect(summarizer.requests.map((request) => request.messages.length)).toEqual(sizes);
    expect(result.newState).toMatchObject({ strategy: "tree-summary", summaryRange: [5, 55] });
    expect(result.newState?.summary).toBe(
      levels === 1 ? Array(5).fill("Text 10.").join("\n\n") : `Text ${sizes.at(-1)}.`,
    );
  });

  it("tree: every message is read once, and the level above reads the texts below", async () => {
    const summarizer = model((request) => `Read ${/number (\d+)/.exec(request.prompt)?.[1] ?? "texts"}.`);
    await treeSummaryStrategy({ now, chunkSize: 25, levels: 2 }).buildContextWith(
      summarizer,
      messages,
      undefined,
      4_000,
    );
    expect(summarizer.requests).toHaveLength(3);
    expect(summarizer.requests[2]?.prompt).toContain("Read 5.");
    expect(summarizer.requests[2]?.prompt).toContain("Read 30.");
    expect(summarizer.requests[2]?.prompt).not.toContain("Message number");
  });

  it("tree: the texts that are left side by side share the room of one summary", async () => {
    const long = conversation(200);
    const tree = treeSummaryStrategy({ now, chunkSize: 4, levels: 1 });
    expect(tree.buildContext(long, undefined, 4_000).tokensUsed).toBeLessThanOrEqual(2_800);
    const talkative = model("This is what was said in that part of the conversation. ".repeat(200));
    const { tokensUsed } = await tree.buildContextWith(talkative, long, undefined, 4_000);
    expect(talkative.requests).toHaveLength(48);
    expect(tokensUsed).toBeLessThanOrEqual(2_800);
  });

  it.each([
    [{ preserveTop: -1 }, /preserveTop must be a whole number of at least 0, not -1/],
    [{ preserveBottom: 1.5 }, /preserveBottom must be a whole number of at least 0, not 1.5/],
    [{ compressionThreshold: 70 }, /compressionThreshold must be a share from 0 to 1, not 70/],
    [{ compressionThreshold: Number.NaN }, /compressionThreshold must be a share/],
    [{ maxSummaryTokens: 0 }, /maxSummaryTokens must be a whole number of at least 1, not 0/],
  ])("%j is refused by name", (options, words) => {
    expect(() => sandwichStrategy(options)).toThrow(words);
    expect(() => treeSummaryStrategy(options)).toThrow(words);
  });

  it("a window of no messages, chunks of one and no levels are refused", () => {
    expect(() => slidingWindowStrategy({ keepLastN: 0 })).toThrow(/keepLastN must be a whole number of at least 1/);
    expect(() => treeSummaryStrategy({ chunkSize: 1 })).toThrow(/chunkSize must be a whole number of at least 2/);
    expect(() => treeSummaryStrategy({ chunkSize: Number.NaN })).toThrow(/chunkSize/);
    expect(() => treeSummaryStrategy({ levels: 0 })).toThrow(/levels must be a whole number of at least 1/);
    expect(sandwichStrategy({ preserveTop: 0, preserveBottom: 0 }).preserveTop).toBe(0);
  });

  it("a message of no known shape is not left out without a word", () => {
    const warnings: Warning[] = [];
    const strange = sandwichStrategy({ now, warn: (warning) => warnings.push(warning) });
    const chat = [...conversation(20), { foo: 1 } as never, ...conversation(20)];
    expect(strange.buildContext(chat, undefined, 4_000).messages).toHaveLength(11);
    expect(warnings.map(({ code }) => code)).toContain("invalid-message-skipped");
  });

  it("tree: without a model the digest is made the same way", () => {
    const result = treeSummaryStrategy({ now, chunkSize: 10, levels: 2 }).buildContext(messages, undefined, 4_000);
    expect(result.summaryUsed).toBe(true);
    expect(result.newState?.summary).not.toBe("");
    expect(result.messages).toHaveLength(11);
  });
});
