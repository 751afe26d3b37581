import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { presets } from "../presets/presets.ts";
import type { SummaryRequest } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { fold } from "./fold.ts";
import type { FoldOptions } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";
import { recordOf } from "./record-frames.ts";

const counter = getCounter("len/4");
const words = (at: number) =>
  `Point ${at}: the pump in hall ${at} was looked at, cleaned and put back to work. `.repeat(12);
const chat = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: at % 2 === 0 ? `And point ${at}?` : words(at),
  }));

describe("where each stretch has a frame of its own, the next fold", () => {
  const formats = ["openai-chat", "anthropic-messages"] as const;
  const roles = ["assistant", "user", "system"] as const;
  const cases = roles.flatMap((role) => formats.map((format) => [role, format] as const));
  const compact = (role: (typeof roles)[number] = "assistant") => {
    return { ...presets.compact, target: 0.3, frame: { ...presets.compact.frame, role } };
  };
  const run = (count: number, budget: number, more: FoldOptions) =>
    foldSync(chat(count), { counter, budget, recall: 0, ...more } as never);

  it.each(cases)("leaves the frames before it as they are, said by %s in %s", (role, format) => {
    const first = run(21, 1_800, { format, preset: compact(role) });
    const second = run(51, 2_400, { format, preset: compact(role), state: first.state! });
    expect([first.outcome, second.outcome]).toEqual(["folded", "folded"]);
    const dropped = first.state!.edits.filter((edit) => edit.do === "drop");
    expect(dropped.length).toBeGreaterThan(4);
    // Up to the last stretch that was folded, nothing changes.
    const same = first.messages.findIndex(({ content }) => content === `And point ${dropped.at(-1)!.last + 1}?`);
    expect(second.messages.slice(0, same)).toEqual(first.messages.slice(0, same));
    const frames = second.messages.filter(({ content }) => content.startsWith("- assistant: Point"));
    expect(frames.length).toBeGreaterThan(dropped.length);
    expect(second.state!.by).toBe("digest");
  });

  it.each(cases)("counts what they cost, with the lines beside them, said by %s in %s", (role, format) => {
    const first = run(21, 1_800, { format, preset: compact(role) });
    const again = run(21, 1_800, { format, preset: compact(role), state: first.state!, force: true });
    // Nothing is left to do: what was planned is what is there.
    expect(again.messages).toEqual(first.messages);
    const planned = again.plan.spans.reduce((sum, { maxTokens }) => sum + maxTokens, 0);
    const originals = chat(21).map(({ content }) => content);
    const added = again.messages.filter(({ content }) => !originals.includes(content));
    const cost = added.map(({ role: by, content }) =>
      counter.countMessage({ role: by, parts: [{ type: "text", text: content }] }),
    );
    expect(planned).toBe(cost.reduce((sum, tokens) => sum + tokens, 0));
  });

  it("knows a frame beside a call that was never answered", () => {
    const call = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
    };
    const messages = [{ role: "user", content: "Look." }, call, { role: "assistant", content: words(2) }, ...chat(20)];
    const options = {
      format: "openai-chat",
      counter,
      budget: 1_500,
      recall: 0,
      preset: compact(),
      pin: (_: Message, at: number) => at === 1,
    } as const;
    const first = foldSync(messages, options as never);
    const answered = first.messages.findIndex((message) => (message as { role: string }).role === "tool");
    expect(first.messages[answered - 1]).toBe(call);
    const second = foldSync([...messages, ...chat(30)], { ...options, budget: 1_900, state: first.state } as never);
    expect(second.outcome).toBe("folded");
    expect(second.messages.slice(0, answered + 2)).toEqual(first.messages.slice(0, answered + 2));
  });

  it("leaves alone what stayed as it was, and remembers that it did", async () => {
    const told = { role: "assistant" as const, content: "The port is 4711." };
    const begin = [{ role: "user" as const, content: "Which port?" }, told];
    const options = { format: "openai-chat", counter, recall: 0, preset: compact() } as const;
    const asked: string[] = [];
    const summarizer = async ({ messages }: SummaryRequest) => {
      asked.push(JSON.stringify(messages));
      return "The pumps run, and nothing else was said about them at all.";
    };
    const first = await fold([...begin, ...chat(21)], { ...options, budget: 1_800, summarizer });
    expect(first.messages[1]).toBe(told);
    expect(first.state!.kept).toContainEqual([1, 1]);
    asked.length = 0;
    const second = await fold([...begin, ...chat(51)], { ...options, budget: 3_600, summarizer, state: first.state! });
    expect(second.outcome).toBe("folded");
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.join()).not.toContain("4711");
    expect(second.messages[1]).toBe(told);
    // The next fold knows it from this record, and of nothing that has a frame that it stayed.
    expect(second.state!.kept).toContainEqual([1, 1]);
    const grown = [...begin, ...chat(51)];
    for (const [at] of second.state!.kept!) expect(second.messages).toContainEqual(grown[at]);
    const starts = second.state!.kept!.map(([at]) => at);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  it("of which no part is new is by whom the earlier one was", async () => {
    const options = { format: "openai-chat", counter, budget: 1_800, recall: 0, preset: compact() } as const;
    const first = await fold(chat(21), { ...options, summarizer: async () => "The pumps run." });
    expect(first.state!.by).toBe("summary");
    const failing = async () => Promise.reject(new Error("no network"));
    const again = await fold(chat(21), { ...options, state: first.state!, force: true, summarizer: failing });
    expect(again.messages).toEqual(first.messages);
    expect(again.state!.by).toBe("summary");
  });
});

describe("an earlier summary", () => {
  const talk = (turns: number) =>
    Array.from({ length: turns }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `${at % 2 === 0 ? "Question" : "Answer"} ${at}. ${"Some more words follow here. ".repeat(12)}`,
    }));
  const settings = { model: "gpt-4o", budget: 2_000, preset: "chat" } as const;
  const twice = async (one: FoldOptions, two: FoldOptions, then = talk(100), begin = talk(60)) => {
    const requests: SummaryRequest[] = [];
    const summarizer = async (request: SummaryRequest) => {
      requests.push(request);
      return `Summary ${requests.length}.`;
    };
    const first = await fold(begin, { ...settings, summarizer, ...one });
    const second = await fold(then, { ...settings, summarizer, ...two, state: first.state! });
    expect([first.outcome, second.outcome]).toEqual(["folded", "folded"]);
    const told = requests[1]!.messages.map(
      ({ source }) => (source as { content: string | null }).content?.split(".")[0],
    );
    return { first, second, told, previous: requests[1]!.previous, warnings: [...first.warnings, ...second.warnings] };
  };
  const place = (at: number) => `${at % 2 === 0 ? "Question" : "Answer"} ${at}`;

  it("is carried on where a message among the folded ones is kept by both folds", async () => {
    const pin = (_: Message, at: number) => at === 4;
    const { first, told, previous, warnings } = await twice({ pin }, { pin });
    expect(first.state!.edits.filter((edit) => edit.do === "drop")).toHaveLength(2);
    expect(previous).toContain("Summary 1.");
    expect(told[0]).toBe(place(first.state!.covers));
    expect(warnings).toEqual([]);
  });

  it("is carried on where the earlier fold also clipped what it kept", async () => {
    const result = { role: "tool", tool_call_id: "a", content: "A line of the file, and one more. ".repeat(200) };
    const call = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
    };
    const begin = [...talk(60), { role: "user", content: "Read it." }, call, result] as ReturnType<typeof talk>;
    const { first, told, previous } = await twice(
      { preset: "agent" },
      { preset: "agent" },
      [...begin, ...talk(60).slice(1)],
      begin,
    );
    const edits = first.state!.edits.map((edit) => edit.do);
    expect(edits.at(-1)).toBe("parts");
    expect(edits).toContain("drop");
    expect(previous).toContain("Summary 1.");
    const dropped = first.state!.edits.find((edit) => edit.do === "drop")!;
    expect(told[0]).toBe(place(dropped.last + 1));
  });

  it("is written anew where this fold keeps even the last message that the earlier one had folded", async () => {
    const { covers } = (await fold(talk(60), { ...settings, summarizer: async () => "Summary 1." })).state!;
    const { told, previous } = await twice({}, { pin: (_, at) => at === covers - 1 });
    expect(previous).toBeUndefined();
    expect(told[0]).toBe("Question 0");
  });

  it("that no fold wrote is carried on", async () => {
    const requests: SummaryRequest[] = [];
    const summarizer = async (request: SummaryRequest) => {
      requests.push(request);
      return "Summary 2.";
    };
    const state = recordOf({ text: "They chose Rust.", covers: 12, tokens: { before: 900, after: 8 } });
    await fold(talk(60), { ...settings, summarizer, state });
    expect(requests[0]!.previous).toBe("They chose Rust.");
    expect((requests[0]!.messages[0]!.source as { content: string }).content).toMatch(/^Question 12\./);
  });

  it("is written anew where a message that it stands for says something else now", async () => {
    const edited = talk(100);
    edited[3] = { role: "assistant", content: "Something else." };
    const { told, previous } = await twice({}, {}, edited);
    expect(previous).toBeUndefined();
    expect(told.slice(0, 4)).toEqual(["Question 0", "Answer 1", "Question 2", "Something else"]);
  });
});

it("forty rules are all there after twenty folds of folds that each had little to take away", () => {
  const rules = Array.from(
    { length: 40 },
    (_, at) => `Never delete table ${at} of the ledger in region R${at * 7 + 100}.`,
  );
  const answer = (at: number) => ({
    role: "assistant",
    content: `Shelf ${at} holds part P-${4000 + at}. ${`It stands in hall ${at % 7} behind door ${at}. `.repeat(12)}`,
  });
  let messages: unknown[] = rules.flatMap((rule, at) => [{ role: "user", content: rule }, answer(at)]);
  let folds = 0;
  for (let at = 100; folds < 20; at++) {
    const result = foldSync(messages as never, { model: "gpt-4o", budget: 3_000, secret: "only for this test" });
    if (result.outcome === "folded") folds++;
    const text = JSON.stringify(result.messages);
    expect(rules.filter((rule) => !text.includes(rule))).toEqual([]);
    messages = [...result.messages, { role: "user", content: `How is shelf ${at}?` }, answer(at)];
  }
});
