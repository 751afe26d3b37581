import { describe, expect, it } from "vitest";
import type { Warning } from "../errors/warning.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import { presets } from "../presets/presets.ts";
import { findLoss } from "../summary/find-loss.ts";
import type { SummaryRequest } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { fold } from "./fold.ts";
import type { FoldOptions } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";

const counter = getCounter("gpt-4o");
/** A new conversation every time: what is remembered of one that was read before hides a change of its reading. */
const talk = (turns: number, words = 60) =>
  Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${at % 2 === 0 ? "Question" : "Answer"} ${at}. ${"Some more words follow here. ".repeat(words / 5)}`,
  }));
const exchange = (id: string, text: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "read", arguments: `{"file":"${id}.txt"}` } }],
  },
  { role: "tool", tool_call_id: id, content: text },
];
const size = (messages: readonly unknown[]) => foldSync(messages, { model: "gpt-4o" }).tokens.before;
const settings = { model: "gpt-4o", budget: 2_000 } as const;

describe("the record of a fold", () => {
  it("says what was done, for which start of the conversation, by whom and how large it is", () => {
    const { state, messages, tokens } = foldSync(talk(60), settings);
    expect(state).toMatchObject({
      preset: "agent",
      by: "digest",
      tokens: { before: tokens.before, after: tokens.after },
      id: `${state!.prefix}-${state!.covers.toString(36)}`,
    });
    expect(state!.prefix).toMatch(/^[0-9a-f]{16}$/);
    const dropped = state!.edits.find((edit) => edit.do === "drop")!;
    expect(state!.covers).toBe(dropped.last + 1);
    const inserted = state!.edits.filter((edit) => edit.do === "insert");
    expect(messages).toHaveLength(60 - (dropped.last - dropped.first + 1) + inserted.length);
    expect(state!.texts).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain(JSON.stringify(state!.texts[0]).slice(1, 60));
    expect("model" in state!).toBe(false);
    expect("kept" in state!).toBe(false);
    expect(counter.countMessages(messages as never)).toBe(tokens.after);
  });

  it("is by nobody where nothing stands for what was left out", () => {
    const preset = { ...presets.agent, name: "window", replace: "nothing" } as const;
    const { state, losses } = foldSync(talk(60), { ...settings, preset });
    expect(state).toMatchObject({ by: "none", texts: [] });
    expect(losses).toBeUndefined();
  });

  it("names the model that wrote the summary, and what the summary lacked", async () => {
    const summarizer = async () => ({ text: "They talked.", finish: "complete", model: "small-1" }) as const;
    const result = await fold(talk(60), { ...settings, summarizer });
    expect(result.state).toMatchObject({
      by: "summary",
      model: "small-1",
      texts: [expect.stringContaining("They talked.")],
    });
    expect(result.losses).toHaveLength(1);
    expect(result.losses![0]!.lost).toBeGreaterThanOrEqual(0);
  });

  it("reports what a digest lost only where that is asked for", () => {
    expect(foldSync(talk(60), settings).losses).toBeUndefined();
    const orders = talk(60).map((message, at) => ({ ...message, content: `${message.content} Order #W${5000 + at}.` }));
    const { losses } = foldSync(orders, { ...settings, reportLoss: true });
    expect(losses).toHaveLength(1);
    expect(losses![0]!.kept + losses![0]!.lost).toBeGreaterThan(40);
    expect(losses![0]!.repaired).toBe(0);
  });

  it("is used again as the conversation grows, until growth or a threshold asks for the next fold", () => {
    const first = foldSync(talk(60), settings);
    const grown = foldSync(talk(61), { ...settings, state: first.state! });
    expect(grown.outcome).toBe("reused");
    expect(grown.state).toBe(first.state);
    expect(grown.messages.slice(0, first.messages.length)).toEqual(first.messages);
    expect(grown.tokens.after).toBe(counter.countMessages(grown.messages as never));
    expect(grown.plan).toMatchObject({ rungs: [], decisions: [], tokens: { after: grown.tokens.after } });
    expect(foldSync(talk(90), { ...settings, state: first.state! }).outcome).toBe("folded");
    expect(foldSync(talk(61), { ...settings, state: first.state!, force: true }).outcome).toBe("folded");
    const edited = talk(61);
    edited[3] = { role: "assistant", content: "Something else." };
    expect(foldSync(edited, { ...settings, state: first.state! }).outcome).toBe("folded");
    expect(foldSync(talk(61), { ...settings, preset: "chat", state: first.state! }).outcome).toBe("folded");
    expect(foldSync(talk(20), { ...settings, budget: 600, state: first.state! }).outcome).toBe("folded");
  });

  it.each([
    ["messages", { messages: 70 }],
    ["turns", { turns: 35 }],
  ])("a threshold of %s counts what came since, not what the fold dealt with", (_, trigger) => {
    const whole = { model: "gpt-4o", preset: { ...presets.agent, trigger }, target: 0.3 } as const;
    const first = foldSync(talk(75), whole);
    expect(first.outcome).toBe("folded");
    const outcome = (since: number) =>
      foldSync(talk(first.state!.covers + since), { ...whole, state: first.state! }).outcome;
    expect(outcome(69)).toBe("reused");
    expect(outcome(73)).toBe("folded");
  });

  it("of turns are those of the user, however often the assistant speaks", () => {
    const whole = { model: "gpt-4o", preset: { ...presets.agent, trigger: { turns: 35 } }, target: 0.3 } as const;
    const first = foldSync(talk(75), whole);
    const answers = Array.from({ length: 80 }, (_, at) => ({ role: "assistant", content: `Step ${at} is done.` }));
    const questions = answers.map(({ content }) => ({ role: "user", content }));
    const outcome = (since: typeof answers) =>
      foldSync([...talk(75), ...since], { ...whole, state: first.state! }).outcome;
    expect([outcome(answers), outcome(questions)]).toEqual(["reused", "folded"]);
  });
});

describe("how far a fold goes", () => {
  it("asked for by hand, to two fifths of what there is; never above the budget", () => {
    const before = size(talk(60));
    const forced = foldSync(talk(60), { model: "gpt-4o", force: true });
    expect(forced.outcome).toBe("folded");
    expect(forced.tokens.after).toBeLessThanOrEqual(forced.tokens.target);
    expect(forced.tokens.after).toBeGreaterThan(before * 0.2);
    expect(forced.tokens.target).toBeLessThan(before * 0.45);
    const tight = foldSync(talk(60), { ...settings, force: true });
    expect(tight.tokens.after).toBeLessThanOrEqual(2_000 * 0.45);
    expect(tight.tokens.target).toBeLessThanOrEqual(2_000 * 0.45);
  });

  it("a single call fills its budget, a target of one's own holds", () => {
    expect(foldSync(talk(60), settings).tokens.target).toBe(2_000);
    expect(foldSync(talk(60), settings).tokens.after).toBeGreaterThan(1_700);
    const half = foldSync(talk(60), { ...settings, target: 0.5 });
    expect(half.tokens.target).toBeLessThan(1_100);
    expect(half.tokens.after).toBeLessThanOrEqual(half.tokens.target);
  });

  it("what must stay and does not fit is an overflow that names what is in the way", () => {
    expect(() => foldSync(talk(60), { ...settings, pin: () => true })).toThrow(
      expect.objectContaining({ code: "CONTEXT_OVERFLOW", details: expect.objectContaining({ budget: 2_000 }) }),
    );
  });

  it("says which message was clipped, and why", () => {
    const warnings: Warning[] = [];
    const chat = [...talk(4), { role: "user", content: `Read this: ${"word ".repeat(3_000)} What is it about?` }];
    foldSync(chat, { ...settings, budget: 800, warn: (warning) => warnings.push(warning) });
    const { sent } = warnings[0]!.details as { sent: number };
    expect(warnings).toEqual([
      {
        code: "last-message-clipped",
        message:
          "The last user message has 3,013 tokens, with a budget of 800 for the whole request. " +
          `Its middle was left out: ${sent} are sent.`,
        details: { message: 4, tokens: 3013, sent },
      },
    ]);
    expect(sent).toBeLessThan(800);
  });
});

describe("who says what stands for folded messages", () => {
  const text = (messages: readonly { role: string; content: unknown }[]) =>
    messages.find(({ content }) => typeof content === "string" && content.startsWith("[Earlier conversation summary"));

  it("the system, unless it quotes what tools returned", () => {
    expect(text(foldSync(talk(60), { ...settings, preset: "sandwich" }).messages)?.role).toBe("system");
    const chat = [...talk(30), ...exchange("a", "The file says 4711. ".repeat(20)), ...talk(30)];
    expect(text(foldSync(chat as ReturnType<typeof talk>, { ...settings, preset: "sandwich" }).messages)?.role).toBe(
      "user",
    );
  });
});

describe("a history that is too long to be read at once", () => {
  const read = async (messages: readonly unknown[], more: Partial<FoldOptions> = {}) => {
    const requests: SummaryRequest[] = [];
    const progress: unknown[] = [];
    const result = await fold(messages, {
      model: "gpt-4o",
      budget: 6_000,
      preset: "chat",
      summary: { inputTokens: 6_000 },
      summarizer: async (request) => {
        requests.push(request);
        return `What was said:\nPart ${requests.length} was summarized.\n`;
      },
      onProgress: (step) => progress.push(step),
      ...more,
    });
    return { result, requests, progress };
  };

  it("is read piece by piece, each with the summary before it, and every message once", async () => {
    const chat = talk(140, 120);
    const { result, requests, progress } = await read(chat);
    expect(requests.length).toBeGreaterThan(3);
    const told = requests.flatMap(({ messages }) => messages.map(({ source }) => source));
    expect(told).toEqual(chat.slice(0, told.length));
    expect(requests[0]!.previous).toBeUndefined();
    requests.slice(1).forEach(({ previous }, at) => {
      expect(previous).toContain(`Part ${at + 1} was summarized.`);
    });
    const summaryRoom = result.plan.spans[0]!.maxTokens;
    for (const { messages } of requests.slice(0, -1)) {
      const tokens = messages.reduce((sum, message) => sum + counter.countMessage(message), 0);
      expect(tokens).toBeGreaterThan(700);
      // What can be read, less the summary before and 2,500 tokens of the prompt's own words.
      expect(tokens).toBeLessThanOrEqual(Math.max(1_000, 6_000 - 2_500 - summaryRoom + 100));
    }
    expect(JSON.stringify(result.messages)).toContain(`Part ${requests.length} was summarized.`);
    const shares = progress.flatMap((step) =>
      (step as { text?: string }).text === undefined ? [] : [step as { share: number; text: string }],
    );
    expect(shares.map(({ share }) => share)).toEqual(requests.slice(1).map((_, at) => (at + 1) / requests.length));
    expect(shares.map(({ text }) => text)).toEqual(shares.map((_, at) => `Part ${at + 1} was summarized.`));
  });

  it("is never cut inside a tool exchange", async () => {
    const chat = Array.from({ length: 60 }, (_, at) => [
      { role: "user", content: `Read ${at}.` },
      ...exchange(`f${at}`, "A line of the file. ".repeat(60)),
    ]).flat();
    const { requests } = await read(chat);
    expect(requests.length).toBeGreaterThan(2);
    for (const { messages } of requests) {
      const parts = messages.flatMap((message) => message.parts);
      const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
      const results = parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : []));
      expect(results).toEqual(calls);
    }
  });

  it("and what its pieces repaired is reported once, over all of it", async () => {
    const chat = talk(140, 120).map((message, at) => ({
      ...message,
      content: `${message.content} Order #W${7000 + at}.`,
    }));
    const { result, requests } = await read(chat);
    const [loss] = result.losses!;
    const told = requests.flatMap(({ messages }) => messages);
    const inAll = findLoss("", told);
    expect(inAll.lost).toBeGreaterThan(100);
    expect(loss!.kept + loss!.repaired + loss!.lost).toBe(inAll.lost);
    // The model named none of them.
    expect(loss!.kept).toBe(0);
    expect(loss!.repaired).toBeGreaterThan(100);
  });
});

describe("an earlier summary", () => {
  const summaries = () => {
    const requests: SummaryRequest[] = [];
    const summarizer = async (request: SummaryRequest) => {
      requests.push(request);
      return `Summary ${requests.length}.`;
    };
    return { requests, summarizer };
  };
  const twice = async (second: (state: FoldRecord) => FoldOptions) => {
    const { requests, summarizer } = summaries();
    const first = await fold(talk(60), { ...settings, preset: "chat", summarizer });
    const result = await fold(talk(100), { preset: "chat", summarizer, ...second(first.state!) });
    return { requests, first, result };
  };

  it("is carried on with only what came since", async () => {
    const { requests, first, result } = await twice((state) => ({ ...settings, state }));
    expect(requests).toHaveLength(2);
    expect(requests[1]!.previous).toContain("Summary 1.");
    const told = requests[1]!.messages.map(({ source }) => (source as { content: string }).content);
    expect(told[0]).toMatch(new RegExp(`^\\w+ ${first.state!.covers}\\.`));
    expect(JSON.stringify(result.messages)).toContain("Summary 2.");
    expect(JSON.stringify(result.messages)).not.toContain("Summary 1.");
  });

  it("is written anew from the messages where this fold keeps some that the earlier one had folded", async () => {
    const pinned = await twice((state) => ({ ...settings, state, pin: (_, index) => index === 4 }));
    expect(pinned.requests.at(-1)!.previous).toBeUndefined();
    expect(pinned.requests.at(-1)!.messages[0]!.source).toMatchObject({
      content: expect.stringMatching(/^Question 0\./),
    });
  });
});
