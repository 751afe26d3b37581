import { describe, expect, it } from "vitest";
import { foldSync } from "../fold/fold-sync.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { presets } from "./presets.ts";

const counter = getCounter("gpt-4o");
const size = (messages: readonly object[]) => counter.countMessages(messages);
const words = (count: number, salt: number) =>
  Array.from({ length: count }, (_, index) => `word${(index * 7 + salt) % 97}`).join(" ");
const exchange = (id: number, tokens: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: `c${id}`, type: "function", function: { name: "read_file", arguments: `{"path":"f${id}.ts"}` } },
    ],
  },
  { role: "tool", tool_call_id: `c${id}`, content: words(Math.floor(tokens / 2), id) },
];
const talk = (turn: number, length = 60) => [
  { role: "user", content: `Question ${turn}. ${words(length, turn)}` },
  { role: "assistant", content: `Answer ${turn}. ${words(length, turn + 1)}` },
];
const isTool = (message: object) => "tool_call_id" in message || "tool_calls" in message;

describe("tool messages are preserved", () => {
  const chat = Array.from({ length: 60 }, (_, turn) => [
    ...talk(turn),
    ...(turn % 10 === 0 ? exchange(turn, 3_000) : []),
  ]).flat();
  const tools = chat.filter(isTool);

  it("every call and every result goes out as the very object it was, while folding talk is enough", () => {
    const budget = Math.floor(size(tools) * 1.3);
    expect(size(chat)).toBeGreaterThan(budget);
    const result = foldSync(chat, { counter, budget, preset: "proxy" });
    expect(result.outcome).toBe("folded");
    expect(result.tokens.after).toBeLessThanOrEqual(budget);
    const kept = result.messages.filter(isTool);
    expect(kept).toHaveLength(tools.length);
    expect(kept.every((message, index) => message === tools[index])).toBe(true);
    expect(result.plan.rungs).not.toContain("clip-results");
  });

  it("whole old exchanges are folded only where nothing else makes it fit, and the plan says so", () => {
    const budget = Math.floor(size(tools) * 0.7);
    const result = foldSync(chat, { counter, budget, preset: "proxy" });
    expect(result.tokens.after).toBeLessThanOrEqual(budget);
    expect(result.plan.rungs).toContain("fold-exchanges");
    expect(result.plan.reasons.find(({ rung }) => rung === "fold-exchanges")?.freed).toBeGreaterThan(0);
    const kept = result.messages.filter(isTool);
    expect(kept.every((message) => tools.includes(message as (typeof tools)[number]))).toBe(true);
  });

  it("in a session also where the next call would not fit, so that the prefix is written anew once and not twice", () => {
    const loop = [
      { role: "user", content: "Read all files." },
      ...Array.from({ length: 10 }, (_, turn) => [
        { role: "assistant", content: "On." },
        ...exchange(turn, 1_000),
      ]).flat(),
    ];
    const budget = size(loop) - 10;
    const rungs = (messages: readonly object[], most: number, session: object) =>
      foldSync(messages, { counter, budget: most, preset: "proxy", ...session }).plan.rungs;
    const session = { state: undefined };
    expect(rungs(loop, budget, {})).toEqual(["fold-middle"]);
    expect(rungs(loop, budget, session)).toEqual(["fold-exchanges"]);
    expect(rungs([...talk(1, 900), ...loop], size(loop) + 1_600, session)).toEqual(["fold-middle"]);
  });

  it("once they must go, words beside exchanges that stay do so too, and the start is sent as before, which is cached", () => {
    const task = { role: "user", content: "Read all files." };
    const step = (turn: number) => [{ role: "assistant", content: `Step ${turn}.` }, ...exchange(turn, 1_000)];
    const loop = [task, ...Array.from({ length: 30 }, (_, turn) => step(turn)).flat()];
    const { messages } = foldSync(loop, { counter, budget: Math.floor(size(loop) / 3), preset: "proxy" });
    expect(messages.length).toBeLessThan(loop.length);
    expect(messages.slice(0, 4)).toEqual(loop.slice(0, 4));
    for (const [at, message] of messages.entries()) {
      if ("tool_calls" in message) expect(messages[at - 1]).toBe(loop[loop.indexOf(message as never) - 1]);
    }
  });
});

describe("the start and the end of the conversation", () => {
  const chat = Array.from({ length: 200 }, (_, turn) => talk(turn, 20)).flat();
  const budget = Math.floor(size(chat) / 4);
  const headOf = (percent: number) => {
    const result = foldSync(chat, { counter, budget, preset: { ...presets.proxy, head: { percent } } });
    const kept = result.messages.map((message) => chat.indexOf(message as (typeof chat)[number]));
    const head = kept.findIndex((index, at) => index !== at);
    return { share: size(chat.slice(0, head)) / budget, end: kept.at(-1), tokens: result.tokens };
  };

  it.each([
    [20, 0.2],
    [50, 0.5],
    [5, 0.05],
  ])("%i percent at the start is that share of the budget", (percent, share) => {
    const head = headOf(percent);
    expect(head.share).toBeGreaterThan(share - 0.03);
    expect(head.share).toBeLessThan(share + 0.03);
    expect(head.end).toBe(chat.length - 1);
    expect(head.tokens.after).toBeLessThanOrEqual(budget);
  });

  it("20 percent is the default, and a fold without a cache at stake fills the budget", () => {
    expect(presets.proxy.head).toEqual({ percent: 20 });
    expect(headOf(20).tokens.after).toBeGreaterThan(budget * 0.85);
  });
});
