import { longDraft, toOpenaiChat } from "@midfold/testkit";
import { describe, expect, it } from "vitest";
import { ContextLimits } from "../budget/context-limits.ts";
import type { Warn, Warning } from "../errors/warning.ts";
import type { Summarizer } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { ContextCompactor } from "./context-compactor.ts";
import { ContextManager } from "./context-manager.ts";
import { TruncationMode } from "./truncation-mode.ts";
import {
  CompositeStrategy,
  SelectiveTruncationStrategy,
  SlidingWindowStrategy,
  SmartTruncationStrategy,
  TokenBudgetStrategy,
  type TruncationStrategy,
} from "./truncation-strategy.ts";

const counter = getCounter("gpt-4");
const chat = toOpenaiChat(longDraft({ turns: 80, seed: 5, toolShare: 0.3 }));
const count = (messages: readonly object[]) => counter.countMessages(messages);
const good: Summarizer = {
  name: "good",
  summarize: async () => ({ text: "The work so far, in one sentence.", finish: "complete" }),
};

const plain = (length: number, words = 50) =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${index} ${"x ".repeat(words)}`,
  }));
/** A strategy as a user writes it: one method. */
const keepEveryOther: TruncationStrategy = {
  truncate: (messages) => messages.filter((_, index) => index % 2 === 0 || index === messages.length - 1),
};

describe("truncation strategies", () => {
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
    expect(strategy.truncate(chat, 1_000_000, counter)).toBe(chat);
  });

  it("keeps at most the window size, besides system prompt and last user message", () => {
    const list = plain(30);
    const out = new SlidingWindowStrategy({ windowSize: 4 }).truncate(list, count(list) - 1, counter);
    expect(out).toEqual(list.slice(-4));
    expect(new SlidingWindowStrategy()).toMatchObject({ windowSize: 20, preserveSystem: true });
    expect(new SlidingWindowStrategy().truncate(list, count(list) - 1, counter)).toEqual(list.slice(-20));
  });

  it("preserveSystem decides whether the system prompt stays", () => {
    const list = [{ role: "system", content: "You are terse." }, ...plain(30)];
    const at = (preserveSystem: boolean) =>
      new SlidingWindowStrategy({ windowSize: 4, preserveSystem }).truncate(list, count(list) - 1, counter);
    expect(at(true)).toEqual([list[0], ...list.slice(-4)]);
    expect(at(false)).toEqual(list.slice(-4));
    expect(new SlidingWindowStrategy({ preserveSystem: false }).truncate(list, 100_000, counter)).toBe(list);
    const late = [...plain(6), { role: "system", content: "Be brief." }, ...plain(2)];
    const window = (windowSize: number) =>
      new SlidingWindowStrategy({ windowSize, preserveSystem: false }).truncate(late, count(late) - 1, counter);
    expect(window(3)).toEqual(late.slice(-3));
    expect(window(2)).toEqual(late.slice(-2));
  });

  it("token budget removes the oldest first, and no more than it must", () => {
    const list = plain(30);
    const out = new TokenBudgetStrategy().truncate(list, 1_000, counter);
    expect(out).toEqual(list.slice(-out.length));
    expect(count(out)).toBeLessThanOrEqual(1_000);
    expect(count(list.slice(-out.length - 1))).toBeGreaterThan(1_000);
  });

  it("rungs say in words what they do", () => {
    const rules = [
      new SlidingWindowStrategy({ windowSize: 4 }),
      new TokenBudgetStrategy(),
      new SmartTruncationStrategy({ preserveFirst: 1, preserveLast: 3 }),
      new SelectiveTruncationStrategy(),
    ].flatMap(({ rungs = [] }) => rungs.map(({ name, rule }) => `${name}: ${rule}`));
    expect(rules).toEqual([
      "sliding-window: keep the last 4 messages",
      "token-budget: drop the oldest messages",
      "smart: keep the first 1 and the last 3 messages",
      "selective: drop tool outputs, then messages of other roles",
    ]);
    expect(new SlidingWindowStrategy({ preserveSystem: false }).rungs).toBeUndefined();
  });

  it("selective leaves user messages, and smart the ends it is told", () => {
    const list = plain(12);
    const selected = new SelectiveTruncationStrategy().truncate(list, count(list) - 1, counter);
    expect(selected).toEqual(list.filter((_, index) => index !== 1));
    const ends = new SmartTruncationStrategy({ preserveFirst: 1, preserveLast: 3 }).truncate(
      list,
      count(list) - 1,
      counter,
    );
    expect(ends).toEqual([list[0], ...list.slice(-3)]);
  });

  it("smart keeps the first two and the last ten", () => {
    const list = plain(40);
    const out = new SmartTruncationStrategy().truncate(list, 1_200, counter);
    expect(out).toEqual([...list.slice(0, 2), ...list.slice(-10)]);
    expect(new SmartTruncationStrategy()).toMatchObject({ preserveFirst: 2, preserveLast: 10 });
  });

  it("strategies of one's own chain with others, each only while the target is not met", () => {
    const list = plain(40);
    const composite = new CompositeStrategy([keepEveryOther, new SlidingWindowStrategy({ windowSize: 3 })]);
    expect(composite.strategies).toEqual([keepEveryOther, expect.any(SlidingWindowStrategy)]);
    const half = keepEveryOther.truncate(list, 0, counter);
    expect(composite.truncate(list, count(list) - 1, counter)).toEqual(half);
    expect(composite.truncate(list, count(half) - 1, counter)).toEqual(half.slice(-3));
    const other = new CompositeStrategy([new SelectiveTruncationStrategy(), keepEveryOther]);
    expect(count(other.truncate(chat, 6_000, counter))).toBeLessThanOrEqual(6_000);
  });

  it("sizes that mean nothing are refused by name", () => {
    expect(() => new SlidingWindowStrategy({ windowSize: 0 })).toThrow(
      /windowSize must be a whole number of at least 1/,
    );
    expect(() => new SmartTruncationStrategy({ preserveFirst: -1 })).toThrow(/preserveFirst must be a whole number/);
    expect(() => new SmartTruncationStrategy({ preserveLast: 2.5 })).toThrow(/preserveLast must be a whole number/);
    const hello = [{ role: "user", content: "Hello" }];
    for (const target of [0, -1, Number.NaN]) {
      expect(() => new TokenBudgetStrategy().truncate(hello, target, getCounter("gpt-4"))).toThrow(
        `targetTokens must be a positive number of tokens, not ${target}.`,
      );
    }
  });

  it("still too large: aggressive truncation, the system prompt and the start of the last message", () => {
    const list = [
      { role: "system", content: "You are terse." },
      ...plain(4),
      { role: "user", content: `Read this: ${"words and more words ".repeat(500)}` },
    ];
    for (const strategy of [new SmartTruncationStrategy(), new CompositeStrategy([keepEveryOther])]) {
      const out = strategy.truncate(list, 300, counter) as typeof list;
      expect(count(out)).toBeLessThanOrEqual(300);
      expect(out[0]).toBe(list[0]);
      expect(out.at(-1)).toMatchObject({ role: "user", content: expect.stringMatching(/^Read this: words/) });
      expect(count(out)).toBeGreaterThan(150);
    }
    const endless = [{ role: "system", content: "rule ".repeat(500) }, ...plain(2)];
    expect(() => new TokenBudgetStrategy().truncate(endless, 300, counter)).toThrow(/system messages take \d+ of them/);
  });
});

describe("ContextManager", () => {
  const filled = (mode: TruncationMode, llm?: Summarizer, warn?: Warn) => {
    const manager = new ContextManager<(typeof chat)[number]>("gpt-4", mode, llm, warn === undefined ? {} : { warn });
    manager.setSystemPrompt("You are careful.");
    for (const message of chat.slice(1)) manager.addMessage(message);
    return manager;
  };

  it.each(Object.values(TruncationMode))("never exceeds the model's limit in mode %s", (mode) => {
    const manager = filled(mode);
    const context = manager.getContextForRequest();
    const { inputTokens } = manager.tracker.limits;
    expect(count(chat)).toBeGreaterThan(inputTokens * 2);
    expect(count(context)).toBeLessThanOrEqual(inputTokens);
    expect(context[0]).toEqual({ role: "system", content: "You are careful." });
    expect(context.at(-1)).toBe(chat.at(-1));
    expect(manager.tokenUsage).toBe(count(context));
    expect(manager.tokenUsage + manager.availableTokens).toBe(inputTokens);
    expect(manager.history).toEqual(chat.slice(1));
  });

  it.each([
    [TruncationMode.SLIDING_WINDOW, SlidingWindowStrategy],
    [TruncationMode.TOKEN_BUDGET, TokenBudgetStrategy],
    [TruncationMode.SMART, SmartTruncationStrategy],
    [TruncationMode.SUMMARIZE, SmartTruncationStrategy],
  ])("mode %s has its strategy", (mode, strategy) => {
    expect(new ContextManager("gpt-4", mode).strategy).toBeInstanceOf(strategy);
  });

  it("a strategy of one's own, with only truncate(), is used", () => {
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, undefined, { strategy: keepEveryOther });
    const list = plain(120);
    for (const message of list) manager.addMessage(message);
    expect(count(manager.getMessages())).toBeLessThanOrEqual(manager.tracker.limits.inputTokens);
    expect(manager.getMessages().at(-1)).toBe(list.at(-1));
    expect(manager.getMessages().length).toBeLessThan(60);
    expect(manager.getMessages()).toContain(list[0]);
    // The mode's own strategy keeps the first two.
    expect(manager.getMessages()).not.toContain(list[1]);
  });

  it("a message larger than the window is clipped, not thrown at the caller, and the warning says so", () => {
    const warnings: Warning[] = [];
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, undefined, {
      warn: (warning) => warnings.push(warning),
    });
    for (const message of plain(6)) manager.addMessage(message);
    const giant = { role: "user", content: "a long story ".repeat(5_000) };
    expect(manager.addMessage(giant)).toBe(true);
    expect(count(manager.getContextForRequest())).toBeLessThanOrEqual(manager.tracker.limits.inputTokens);
    expect(JSON.stringify(manager.getMessages().at(-1))).toContain("a long story a long story");
    const tokens = counter.countMessage(giant);
    const room = manager.budget.available;
    expect(warnings).toEqual([
      {
        code: "context-critically-limited",
        message: `A message of ${tokens} tokens was clipped: only ${room} are left for the conversation.`,
        details: { tokens, room },
      },
    ]);
    expect(manager.history.at(-1)).toBe(giant);
    // A message that only pushes others out is no reason for a warning, and nobody has to listen.
    manager.addMessage({ role: "user", content: "And then?" });
    expect(warnings).toHaveLength(1);
    expect(new ContextManager("gpt-4").addMessage(giant)).toBe(true);
  });

  it("limits, thresholds and shares of one's own act", async () => {
    const limits = new ContextLimits({ model: "mine", maxTokens: 2_000, maxOutputTokens: 500, reservedTokens: 100 });
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, good, { limits, compactionThreshold: 0.2 });
    for (const message of plain(8)) manager.addMessage(message);
    expect(manager.tokenUsage + manager.availableTokens).toBe(1_400);
    expect(await manager.compactIfNeeded()).toBe(true);
    const halved = new ContextManager("gpt-4", TruncationMode.SMART, undefined, { limits, maxContextPercent: 0.5 });
    expect(halved.availableTokens).toBe(400);
    const named = ContextLimits.forModel("gpt-4", { overrides: { "gpt-4": { window: 32_768, maxOutput: 4_096 } } });
    expect(new ContextManager("gpt-4", TruncationMode.SMART, undefined, { limits: named }).availableTokens).toBe(
      27_672,
    );
    expect(new ContextManager("gpt-4").availableTokens).toBe(3_096);
  });

  it("the budget shares the window out between system prompt, tools, reply and conversation", () => {
    const tools = [{ name: "read_file", description: "Reads a file.", schema: { type: "object" } }];
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, undefined, { tools });
    manager.setSystemPrompt("You are careful.");
    const { total, systemPrompt, responseReserve, available, tools: forTools } = manager.budget;
    expect([total, responseReserve]).toEqual([8_192, 5_096]);
    expect(systemPrompt).toBe(counter.countMessage({ role: "system", content: "You are careful." }));
    expect(forTools).toBe(counter.countTools(tools));
    expect(available).toBe(total - responseReserve - systemPrompt - forTools);
    manager.addMessage({ role: "user", content: "Hi" });
    expect(manager.tokenUsage).toBe(systemPrompt + forTools + count([{ role: "user", content: "Hi" }]));
  });

  it("a system prompt that leaves no room is refused, and the one before stays", () => {
    const manager = new ContextManager("gpt-4");
    manager.setSystemPrompt("You are careful.");
    const refuse = () => manager.setSystemPrompt("rule ".repeat(5_000));
    expect(refuse).toThrow(
      "The system prompt (5005 tokens) and the tools (0) leave no room for messages in 8192 tokens, of which 5096 are kept for the reply. Shorten them.",
    );
    expect(refuse).toThrow(
      expect.objectContaining({
        code: "CONTEXT_OVERFLOW",
        details: { systemPrompt: 5_005, tools: 0, total: 8_192 },
      }),
    );
    manager.addMessage({ role: "user", content: "Hi" });
    expect(manager.getContextForRequest()[0]).toEqual({ role: "system", content: "You are careful." });
  });

  it("a longer system prompt truncates what no longer fits", () => {
    const manager = new ContextManager("gpt-4", TruncationMode.TOKEN_BUDGET);
    for (const message of plain(60)) manager.addMessage(message);
    const before = manager.getMessages().length;
    manager.setSystemPrompt("rule ".repeat(1_500));
    expect(manager.getMessages().length).toBeLessThan(before);
    expect(count(manager.getContextForRequest())).toBeLessThanOrEqual(manager.tracker.limits.inputTokens);
  });

  it("compacts when usage is over the threshold, and the summary is used from then on", async () => {
    const manager = filled(TruncationMode.SUMMARIZE, good);
    expect(await manager.compactIfNeeded()).toBe(true);
    expect(JSON.stringify(manager.getMessages())).toContain("The work so far");
    expect(manager.history).toEqual(chat.slice(1));
    expect(await manager.compactIfNeeded()).toBe(false);
    manager.addMessage({ role: "user", content: "And now?" });
    expect(JSON.stringify(manager.getMessages())).toContain("The work so far");
  });

  it("compaction reads what truncation has already left out", async () => {
    const read: string[] = [];
    const reader: Summarizer = {
      name: "reader",
      summarize: async (request) => {
        read.push(request.prompt);
        return { text: "All of it.", finish: "complete" };
      },
    };
    const manager = new ContextManager("gpt-4", TruncationMode.SLIDING_WINDOW, reader);
    for (const message of plain(120)) manager.addMessage(message);
    expect(JSON.stringify(manager.getMessages())).not.toContain("message 5 ");
    expect(await manager.compactIfNeeded()).toBe(true);
    expect(read[0]).toContain("message 5 ");
    expect(read[0]).toContain(manager.compactor!.summaryPrompt.split("\n")[0]);
  });

  it("when summarization fails, the digest and truncation stand in, and the warning says so", async () => {
    const codes: string[] = [];
    const broken: Summarizer = { name: "broken", summarize: () => Promise.reject(new Error("down")) };
    const manager = filled(TruncationMode.SUMMARIZE, broken, ({ code }) => codes.push(code));
    expect(await manager.compactIfNeeded()).toBe(true);
    expect(JSON.stringify(manager.getMessages())).toContain('kind=\\"digest\\"');
    expect(count(manager.getContextForRequest())).toBeLessThanOrEqual(manager.tracker.limits.inputTokens);
    expect(codes).toContain("summary-fell-back");
  });

  it("does nothing below the threshold", async () => {
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, good);
    manager.addMessage({ role: "user", content: "Hi" });
    expect(await manager.compactIfNeeded()).toBe(false);
    expect(manager.getMessages()).toEqual([{ role: "user", content: "Hi" }]);
  });

  it("skips a message of invalid format and says so", () => {
    const warnings: Warning[] = [];
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, undefined, {
      warn: (warning) => warnings.push(warning),
    });
    expect(manager.addMessage({ role: 7 } as never)).toBe(false);
    expect(manager.addMessage({ role: "user", content: "ok" })).toBe(true);
    expect(manager.addMessage({ nothing: true } as never)).toBe(false);
    expect(manager.history).toHaveLength(1);
    expect(manager.getMessages()).toHaveLength(1);
    const message = "A message of no known shape was skipped; it came after";
    expect(warnings).toEqual([
      { code: "invalid-message-skipped", message: `${message} 0 others.` },
      { code: "invalid-message-skipped", message: `${message} 1 others.` },
    ]);
    expect(new ContextManager("gpt-4").addMessage({ role: 7 } as never)).toBe(false);
  });

  it("uses default limits for an unknown model, and says so", () => {
    const codes: string[] = [];
    const manager = new ContextManager("nobody-knows-this", TruncationMode.SMART, undefined, {
      warn: ({ code }) => codes.push(code),
    });
    manager.addMessage({ role: "user", content: "ok" });
    expect(manager.availableTokens).toBeGreaterThan(0);
    expect(codes).toEqual(["unknown-model"]);
  });

  it.each([
    [{ maxContextPercent: 50 }, /maxContextPercent must be a share from 0 to 1, not 50/],
    [{ compactionThreshold: 80 }, /compactionThreshold must be a share from 0 to 1, not 80/],
    [{ compactionThreshold: Number.NaN }, /compactionThreshold must be a share/],
    [{ maxContextPercent: 0.5 }, /leave no room for messages in 4096 tokens.* or raise maxContextPercent: it is 0\.5/],
  ])("%j is refused: it would be more than the window, or nothing", (options, words) => {
    expect(() => new ContextManager("gpt-4", "smart", undefined, options)).toThrow(words);
  });

  it("the model may be a plain function", async () => {
    const asked: string[] = [];
    const compactor = new ContextCompactor(async ({ prompt }) => {
      asked.push(prompt);
      return "They talked about the weather.";
    });
    expect(await compactor.summarizeMessages([{ role: "user", content: "It rains in Berlin. ".repeat(9) }])).toBe(
      "They talked about the weather.",
    );
    expect(asked[0]).toContain("It rains in Berlin.");
  });

  it("refuses a mode that does not exist", () => {
    expect(() => new ContextManager("gpt-4", "clever" as never)).toThrow(
      'There is no truncation mode "clever". Known: sliding_window, token_budget, smart, summarize.',
    );
  });

  it("addMessage counts one message, not the history, while everything fits", () => {
    let counted = 0;
    const inner = getCounter("gpt-4o");
    const counting: TokenCounter = {
      ...inner,
      name: "counting",
      exact: true,
      count: (text) => inner.count(text),
      countMessage: (message) => {
        counted++;
        return inner.countMessage(message);
      },
      countMessages: (messages) => {
        counted += messages.length;
        return inner.countMessages(messages);
      },
      countTools: (tools, choice) => inner.countTools(tools, choice),
      take: (text, maxTokens) => inner.take(text, maxTokens),
      takeLast: (text, maxTokens) => inner.takeLast(text, maxTokens),
    };
    const manager = new ContextManager("gpt-4o", TruncationMode.SMART, undefined, { counter: counting });
    const list = plain(1_000, 10);
    for (const message of list) manager.addMessage(message);
    expect(manager.getMessages()).toEqual(list);
    expect(counted).toBeLessThanOrEqual(3 * list.length);
  });

  it("a counter of one's own counts, and decides when it is too much", () => {
    const doubled: TokenCounter = {
      name: "doubled",
      exact: true,
      count: (text) => counter.count(text) * 2,
      countMessage: (message) => counter.countMessage(message) * 2,
      countMessages: (messages) => counter.countMessages(messages) * 2,
      countTools: (tools, choice) => counter.countTools(tools, choice) * 2,
      take: (text, maxTokens) => counter.take(text, Math.floor(maxTokens / 2)),
      takeLast: (text, maxTokens) => counter.takeLast(text, Math.floor(maxTokens / 2)),
    };
    const manager = new ContextManager("gpt-4", TruncationMode.TOKEN_BUDGET, undefined, { counter: doubled });
    for (const message of plain(60)) manager.addMessage(message);
    expect(manager.tokenUsage).toBe(count(manager.getMessages()) * 2);
    expect(manager.tokenUsage).toBeLessThanOrEqual(3_096);
    expect(manager.tokenUsage).toBeGreaterThan(2_500);
  });

  it("nothing is truncated at exactly the limit, and something one token above", () => {
    const list = plain(20);
    const at = (inputTokens: number) => {
      const limits = new ContextLimits({
        model: "m",
        maxTokens: inputTokens + 100,
        maxOutputTokens: 50,
        reservedTokens: 50,
      });
      const manager = new ContextManager("gpt-4", TruncationMode.TOKEN_BUDGET, undefined, { limits });
      for (const message of list) manager.addMessage(message);
      return manager.getMessages().length;
    };
    expect(at(count(list) + 3)).toBe(20);
    expect(at(count(list) - 1)).toBe(19);
  });

  it("without a model, compaction writes a digest; a smaller summary is asked of a compactor set up so", async () => {
    const manager = filled(TruncationMode.SMART);
    expect(manager.compactor).toBeUndefined();
    expect(await manager.compactIfNeeded()).toBe(true);
    expect(JSON.stringify(manager.getMessages())).toContain('kind=\\"digest\\"');
    const sizes: number[] = [];
    const llm: Summarizer = {
      name: "llm",
      summarize: async (request) => {
        sizes.push(request.maxTokens);
        return { text: "Short.", finish: "complete" };
      },
    };
    for (const maxSummaryTokens of [100, 400]) {
      const other = new ContextManager("gpt-4", TruncationMode.SUMMARIZE, llm, { compactor: { maxSummaryTokens } });
      for (const message of plain(120)) other.addMessage(message);
      await other.compactIfNeeded();
    }
    expect(sizes[0]).toBeLessThan(sizes[1]!);
    expect(sizes[0]).toBeGreaterThan(50);
  });

  it("messages of every format are taken, also where the first ones could be of two", () => {
    const manager = new ContextManager<object>("gpt-4");
    expect(manager.addMessage({ role: "user", content: "Look." })).toBe(true);
    expect(
      manager.addMessage({ role: "assistant", content: [{ type: "tool_use", id: "1", name: "look", input: {} }] }),
    ).toBe(true);
    expect(
      manager.addMessage({ role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "seen" }] }),
    ).toBe(true);
    expect(manager.getMessages()).toHaveLength(3);
  });

  it("what compaction made of the history survives a snapshot without what was sent", async () => {
    const manager = filled(TruncationMode.SUMMARIZE, good);
    await manager.compactIfNeeded();
    const { sent: _, ...stored } = structuredClone(manager.snapshot());
    const other = new ContextManager<(typeof chat)[number]>("gpt-4", TruncationMode.SUMMARIZE, good);
    other.restore(stored);
    expect(JSON.stringify(other.getMessages())).toContain("The work so far");
    expect(other.getContextForRequest()[0]).toEqual({ role: "system", content: "You are careful." });
    other.reset();
    other.addMessage({ role: "user", content: "Hi" });
    expect(other.snapshot().compacted).toEqual([{ role: "user", content: "Hi" }]);
  });

  it("a new manager has nothing to send, and its snapshot says so", () => {
    const manager = new ContextManager("gpt-4");
    expect(manager.snapshot()).toStrictEqual({ messages: [], compacted: [], sent: [] });
    expect(manager.getContextForRequest()).toEqual([]);
    manager.setSystemPrompt("Be brief.");
    expect(manager.snapshot()).toStrictEqual({ messages: [], compacted: [], sent: [], systemPrompt: "Be brief." });
  });

  it("a snapshot that was taken up gives the same snapshot again", async () => {
    const manager = filled(TruncationMode.SUMMARIZE, good);
    expect(await manager.compactIfNeeded()).toBe(true);
    const again = new ContextManager<(typeof chat)[number]>("gpt-4", TruncationMode.SUMMARIZE, good);
    again.restore(manager.snapshot());
    expect(again.snapshot()).toStrictEqual(manager.snapshot());
    expect(await again.compactIfNeeded()).toBe(false);
  });

  it("the strategy decides also when a longer prompt or a stored session leaves too little room", () => {
    let asked = 0;
    const strategy: TruncationStrategy = {
      truncate: (messages) => {
        asked++;
        return messages.slice(-2);
      },
    };
    const list = plain(60);
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, undefined, { strategy });
    manager.restore({ messages: list });
    expect([asked, manager.getMessages()]).toEqual([1, list.slice(-2)]);
    const other = new ContextManager("gpt-4", TruncationMode.SMART, undefined, { strategy });
    for (const message of plain(20)) other.addMessage(message);
    asked = 0;
    other.setSystemPrompt("rule ".repeat(2_900));
    expect([asked, other.getMessages()]).toEqual([1, plain(20).slice(-2)]);
  });

  it("a compaction that makes nothing smaller changes nothing", async () => {
    const manager = new ContextManager("gpt-4", TruncationMode.SMART, good, { compactionThreshold: 0.0001 });
    manager.addMessage({ role: "user", content: "Hi" });
    manager.addMessage({ role: "assistant", content: "Hello" });
    const before = manager.snapshot();
    expect(await manager.compactIfNeeded()).toBe(false);
    expect(manager.snapshot()).toStrictEqual(before);
  });

  it("a compaction whose model fails needs nobody who listens", async () => {
    const broken: Summarizer = { name: "broken", summarize: () => Promise.reject(new Error("down")) };
    expect(await filled(TruncationMode.SUMMARIZE, broken).compactIfNeeded()).toBe(true);
  });

  it("resets, and goes on from a snapshot", async () => {
    const manager = filled(TruncationMode.SUMMARIZE, good);
    await manager.compactIfNeeded();
    const other = new ContextManager<(typeof chat)[number]>("gpt-4", TruncationMode.SUMMARIZE, good);
    other.restore(structuredClone(manager.snapshot()));
    expect(other.getContextForRequest()).toEqual(manager.getContextForRequest());
    expect(other.tokenUsage).toBe(manager.tokenUsage);
    expect(other.history).toEqual(manager.history);
    expect(await other.compactIfNeeded()).toBe(false);
    manager.reset();
    expect(manager.getMessages()).toEqual([]);
    expect(manager.getContextForRequest()).toHaveLength(1);
    expect(manager.history).toEqual([]);
  });

  it("goes on from the plain messages of a session", () => {
    const manager = new ContextManager<(typeof chat)[number]>("gpt-4");
    manager.restore({ messages: chat });
    expect(count(manager.getContextForRequest())).toBeLessThanOrEqual(manager.tracker.limits.inputTokens);
    expect(manager.history).toEqual(chat);
  });
});

describe("ContextCompactor", () => {
  it("compacts to the target with a summary message", async () => {
    const out = await new ContextCompactor(good).compact(chat, 5_000, counter);
    expect(count(out)).toBeLessThanOrEqual(5_000);
    expect(JSON.stringify(out)).toContain("The work so far");
    expect(out.at(-1)).toBe(chat.at(-1));
  });

  it("has a prompt and a size of its own, and uses them", async () => {
    const requests: { prompt: string; maxTokens: number }[] = [];
    const llm: Summarizer = {
      name: "llm",
      summarize: async (request) => {
        requests.push(request);
        return { text: "Short.", finish: "complete" };
      },
    };
    const compactor = new ContextCompactor(llm);
    expect(compactor.maxSummaryTokens).toBe(500);
    expect(compactor.summaryPrompt).toContain("{conversation_history}");
    await compactor.summarizeMessages(chat.slice(0, 10));
    expect(requests[0]?.prompt).toContain(compactor.summaryPrompt.slice(0, 80));
    expect(requests[0]?.maxTokens).toBe(500);
    const own = new ContextCompactor(llm, { summaryPrompt: "Sum up: {conversation_history}", maxSummaryTokens: 90 });
    await own.summarizeMessages(chat.slice(0, 10));
    expect(requests[1]).toMatchObject({ prompt: expect.stringMatching(/^Sum up: /), maxTokens: 90 });
    await own.compact(chat, 2_000, counter);
    expect(requests[2]?.prompt).toMatch(/^Sum up: /);
  });

  it("summarizes messages, and refuses an empty list", async () => {
    const compactor = new ContextCompactor(good);
    expect(await compactor.summarizeMessages(chat.slice(0, 10))).toBe("The work so far, in one sentence.");
    await expect(compactor.summarizeMessages([])).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: "There are no messages to summarize.",
    });
  });
});
