import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { clipNewResults } from "./clip-new-results.ts";
import { foldSync } from "./fold-sync.ts";
import { planOnly } from "./plan-only.ts";

const log = Array.from({ length: 4_000 }, (_, line) => `line ${line}: checked out module ${line % 17}`).join("\n");
const chat = [
  { role: "user", content: "Read the log." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "call_1", content: log },
];
const options = { model: "gpt-4o", window: 1_000_000 } as const;

it("what fits is left alone, however large a single tool result is", () => {
  const result = foldSync(chat, options);
  expect(result.messages).toBe(chat);
  expect(result).toMatchObject({ outcome: "fits", changed: false, plan: { reasons: [] } });
});

it("a result that is clipped because the caller asked for it is in the plan, the sizes and the outcome", () => {
  const whole = foldSync(chat, options).tokens.before;
  const result = foldSync(chat, { ...options, clipNewResults: 0.01 });
  expect(result.outcome).toBe("clipped");
  expect(result.changed).toBe(true);
  expect(result.messages.map((message, at) => message === chat[at])).toEqual([true, true, false]);
  expect(result.tokens.before).toBe(whole);
  expect(result.tokens.after).toBeLessThan(whole / 2);
  expect(result.plan.tokens).toMatchObject({ before: whole, after: result.tokens.after });
  expect(result.plan.rungs).toEqual(["clip-new-results"]);
  expect(result.plan.reasons).toMatchObject([{ atoms: 1, freed: whole - result.tokens.after }]);
  expect(result.plan.decisions.map((decision) => decision.do)).toEqual(["keep", "clip"]);
  expect(result.plan.cuts).toMatchObject([{ message: 2 }]);
  expect(planOnly(chat, { ...options, clipNewResults: 0.01 }).rungs).toEqual(["clip-new-results"]);
});

it("a fold after clipping says both", () => {
  const long = [
    ...chat,
    ...Array.from({ length: 40 }, (_, i) => ({ role: "user", content: `${i} ${"word ".repeat(500)}` })),
  ];
  const settings = { model: "gpt-4o", window: 20_000, maxOutputTokens: 1_000 } as const;
  const whole = foldSync(long, { ...settings, budget: 1_000_000 }).tokens.before;
  const result = foldSync(long, { ...settings, clipNewResults: 0.1 });
  expect(result.outcome).toBe("folded");
  expect(result.tokens.before).toBe(whole);
  expect(result.plan.tokens.before).toBe(whole);
  expect(result.plan.rungs[0]).toBe("clip-new-results");
  expect(result.plan.rungs.length).toBeGreaterThan(1);
});

describe("which results are clipped as they appear", () => {
  const counter = getCounter("len/4");
  const result = (tokens: number, more: Partial<Message> = {}): Message => ({
    role: "tool",
    parts: [{ type: "tool-result", callId: "1", content: [{ type: "text", text: "line\n".repeat(tokens * 0.8) }] }],
    ...more,
  });
  const sizes = (
    messages: readonly Message[],
    share: number | undefined,
    window: number,
    pin?: (message: Message) => boolean,
  ) =>
    clipNewResults(messages, { share, window, counter, pin }).messages.map((message) => counter.countMessage(message));

  it.each([
    ["a share of the window", 0.1, 50_000, 5_000],
    ["never below 2,000 tokens", 0.1, 1_000, 2_000],
    ["never above 20,000", 0.5, 1_000_000, 20_000],
  ])("%s is what one may have", (_, share, window, limit) => {
    const [clipped] = sizes([result(30_000)], share, window);
    expect(clipped).toBeLessThanOrEqual(limit);
    expect(clipped).toBeGreaterThan(limit * 0.9);
    // Exactly as large as it may be is not too large.
    const whole = [result(limit)];
    expect(clipNewResults(whole, { share, window, counter }).messages).toBe(whole);
    expect(clipNewResults([result(limit + 5)], { share, window, counter }).clipped).toEqual(new Set([0]));
  });

  it("without a share nothing is clipped, and what is pinned or no tool's never", () => {
    expect(sizes([result(30_000)], undefined, 1_000)).toEqual([30_000]);
    const said: Message = { role: "user", parts: [{ type: "text", text: "word ".repeat(24_000) }] };
    const list = [said, result(30_000, { pinned: true }), result(30_000), result(100)];
    const { messages, clipped } = clipNewResults(list, { share: 0.1, window: 1_000, counter });
    expect(clipped).toEqual(new Set([2]));
    expect(messages.map((message, index) => message === list[index])).toEqual([true, true, false, true]);
    expect(sizes(list, 0.1, 1_000, (message) => message === list[2])[2]).toBe(30_000);
  });

  it("several results in one message share the sum of what each may have", () => {
    const [part] = result(3_000).parts;
    const pair: Message = { role: "tool", parts: [part!, { ...result(900).parts[0]!, callId: "2" } as Part] };
    expect(clipNewResults([pair], { share: 0.1, window: 1_000, counter }).clipped.size).toBe(0);
    const large: Message = { role: "tool", parts: [part!, { ...result(1_500).parts[0]!, callId: "2" } as Part] };
    expect(clipNewResults([large], { share: 0.1, window: 1_000, counter }).clipped.size).toBe(1);
  });

  it("a result that is folded away is counted as freed, and is no cut of what stays", () => {
    const exchange = (id: string, text: string) => [
      { ...chat[1]!, tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }] },
      { role: "tool", tool_call_id: id, content: text },
    ];
    const talk = Array.from({ length: 30 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: `${i} ${"word ".repeat(400)}`,
    }));
    const long = [chat[0]!, ...exchange("a", log), ...talk, ...exchange("b", log), { role: "user", content: "Well?" }];
    const { plan } = foldSync(long, { model: "gpt-4o", window: 20_000, budget: 6_000, clipNewResults: 0.1 });
    expect(plan.reasons[0]).toMatchObject({ rung: "clip-new-results", atoms: 2 });
    expect(plan.reasons[0]!.rule).toBe("clip very large tool results as they appear");
    expect(plan.decisions[1]!.do).toBe("fold");
    expect(plan.cuts.map(({ message }) => message)).not.toContain(2);
  });
});
