import { describe, expect, it } from "vitest";
import { parseFrame } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import type { Rung } from "../plan/draft.ts";
import { presets } from "../presets/presets.ts";
import type { SummaryRequest } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { fold } from "./fold.ts";
import type { FoldOptions, FoldProgress } from "./fold-options.ts";

const counter = getCounter("len/4");
const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
const chat = (turns: number, times = 8): Message[] =>
  Array.from({ length: turns }, (_, at) =>
    said(
      at % 2 === 0 ? "user" : "assistant",
      at % 2 === 0 ? `And point ${at}?` : `Point ${at}: the pump in hall ${at} runs. `.repeat(times),
    ),
  );
const textIn = ({ parts }: Message) => (parts[0]?.type === "text" ? parts[0].text : "");
const run = async (messages: readonly Message[], more: FoldOptions = {}, write?: (call: number) => string) => {
  const requests: SummaryRequest[] = [];
  const progress: FoldProgress[] = [];
  const result = await fold(messages, {
    format: "midfold",
    counter,
    budget: 1_500,
    recall: 0,
    summarizer: async (request) => {
      requests.push(request);
      return write?.(requests.length) ?? `Summary ${requests.length}: the pumps run.`;
    },
    onProgress: (step) => progress.push(step),
    ...more,
  });
  return { result, requests, progress };
};

describe("a frame for each stretch", () => {
  const preset = { ...presets.compact, target: 0.2 };

  it("tells how many of them are written", async () => {
    const { requests, progress } = await run(chat(41, 30), { preset });
    expect(requests.length).toBeGreaterThan(3);
    const shares = progress.filter(({ stage }) => stage === "writing").map(({ share }) => share);
    expect(shares).toEqual(requests.map((_, at) => at / requests.length));
  });

  it("asks once for a short one, with room for a sentence, and more often for a long one", async () => {
    const failing = { summarizer: () => Promise.reject(new Error("no network")) };
    const attempts = async (times: number) => {
      const { result } = await run(chat(21, times), { preset, budget: 100_000, force: true, ...failing });
      const said = result.warnings.filter(({ code }) => code === "summary-fell-back");
      return said.map(({ message, details }) => ({
        message,
        attempts: ((details?.attempts ?? []) as unknown[]).length,
      }));
    };
    const [short] = await attempts(4);
    expect(short).toMatchObject({
      attempts: 1,
      message: expect.stringMatching(/^No usable summary after one attempt: /),
    });
    const [long] = await attempts(60);
    expect(long!.attempts).toBeGreaterThan(1);
    expect(long!.message).toContain(`No usable summary after ${long!.attempts} attempts: `);
    expect(long!.message).toMatch(/no network.*The digest stands in\.$/);
    const { requests } = await run(chat(21, 4), { preset, budget: 100_000, force: true });
    expect(requests.length).toBeGreaterThan(3);
    for (const { maxTokens } of requests) {
      expect(maxTokens).toBeGreaterThan(60);
      expect(maxTokens).toBeLessThanOrEqual(96);
    }
    const { requests: limited } = await run(chat(21, 4), {
      preset: { ...preset, maxFrameTokens: 40 },
      budget: 100_000,
      force: true,
    });
    for (const { maxTokens } of limited) expect(maxTokens).toBeLessThanOrEqual(40);
  });

  it("is the model's text alone, with exact things that it lacks in lines below", async () => {
    const messages = [
      said("user", "Where is it?"),
      said("assistant", `The key of boiler B-7712 hangs at https://keys.example/7712. ${"I looked long. ".repeat(90)}`),
      ...chat(13, 20),
    ];
    const { result } = await run(messages, { preset, budget: 1_000 }, () => "The key was found.");
    const frame = textIn(result.messages[1] as Message);
    expect(frame).toMatch(/^The key was found\.\n\n/);
    expect(frame).toContain("B-7712");
  });
});

describe("a summarizer", () => {
  it("is told when the caller gives up", async () => {
    const controller = new AbortController();
    const seen: (AbortSignal | undefined)[] = [];
    const failing = fold(chat(60), {
      format: "midfold",
      counter,
      budget: 900,
      preset: "chat",
      signal: controller.signal,
      summarizer: async (_, signal) => {
        seen.push(signal);
        controller.abort(new Error("enough"));
        throw new Error("stopped");
      },
    });
    await expect(failing).rejects.toMatchObject({ code: "ABORTED" });
    expect(seen).toHaveLength(1);
    expect(seen[0]!.aborted).toBe(true);
  });

  it("waits between attempts by the caller's clock", async () => {
    const pauses: number[] = [];
    let calls = 0;
    const { result } = await run(chat(60), {
      preset: "chat",
      budget: 900,
      clock: { now: () => 0, sleep: async (ms) => void pauses.push(ms) },
      summarizer: async () => {
        if (++calls === 1) throw new Error("busy");
        return "The pumps run.";
      },
    });
    expect(result.state?.by).toBe("summary");
    expect(pauses).toHaveLength(1);
    expect(pauses[0]).toBeGreaterThan(0);
  });

  it("gets no earlier summary where there is none", async () => {
    const { requests } = await run(chat(60), { preset: "chat", budget: 900 });
    expect(requests).toHaveLength(1);
    expect("previous" in requests[0]!).toBe(false);
    expect(requests[0]!.prompt).not.toContain("undefined");
  });

  it("is not asked for stretches of which a strategy wants a digest", async () => {
    const strategy: Rung = {
      name: "mine",
      rule: "one digest, one summary",
      strategy: (draft) => {
        const [digest, summary] = [draft.openSpan("digest"), draft.openSpan("summary")];
        for (let atom = 0; atom < 20; atom++) draft.fold(atom, atom < 10 ? digest : summary);
        draft.setFrame(digest, 300);
        draft.setFrame(summary, 300);
      },
    };
    const { result, requests } = await run(chat(41), { rungs: [strategy], budget: 1_400 });
    expect(requests).toHaveLength(1);
    expect(requests[0]!.messages[0]).toMatchObject({ parts: [{ text: "And point 10?" }] });
    expect(result.state).toMatchObject({
      by: "summary",
      texts: [expect.stringContaining("hall 1"), expect.stringContaining("Summary 1")],
    });
  });

  it("of a summary that has no room, the stretch has no frame", async () => {
    const preset = { ...presets.chat, maxFrameTokens: 12 };
    const { result } = await run(chat(60), { preset, budget: 900 });
    expect(result.outcome).toBe("folded");
    expect(result.messages.some((message) => parseFrame(textIn(message as Message)) !== undefined)).toBe(false);
    expect(result.tokens.after).toBeLessThanOrEqual(900);
  });

  it("that failed where there is no room for a word leaves no empty frame behind", async () => {
    const tiny: Rung = {
      name: "mine",
      rule: "a frame of four tokens",
      strategy: (draft) => {
        const span = draft.openSpan("summary");
        for (let atom = 0; atom < 40; atom++) draft.fold(atom, span);
        draft.setFrame(span, 4);
      },
    };
    const failing = { summarizer: () => Promise.reject(new Error("no network")) };
    const { result } = await run(chat(60), { rungs: [tiny], ...failing });
    expect(result.state).toMatchObject({ by: "digest", texts: [""] });
    expect(result.messages).toEqual(chat(60).slice(40));
    expect(result.losses).toHaveLength(1);
  });

  it("has as many tokens as its frame and the line of the other side leave of the room", async () => {
    /** A token for each character, and four for each message. */
    const letters: TokenCounter = {
      ...{ name: "letters", exact: true, count: (text) => text.length, countTools: () => 0 },
      countMessage: (message) => textIn(message as Message).length + 4,
      countMessages: (messages) => messages.reduce((sum, message) => sum + textIn(message as Message).length + 4, 0),
      take: (text, most) => text.slice(0, most),
      takeLast: (text, most) => text.slice(-most),
    };
    const wire = Array.from({ length: 60 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: "we went on with the thing as we had before and did not stop ".repeat(2),
    }));
    const last = { role: "user", content: "go on" };
    const cases = [
      // The frame is the first message, and the user speaks behind it.
      { format: "anthropic-messages", preset: { ...presets.agent, tail: { messages: 1 }, maxFrameTokens: 900 } },
      { format: "openai-chat", preset: { ...presets.chat, maxFrameTokens: 900 } },
      { format: "openai-chat", preset: { ...presets.chat, maxFrameTokens: 390 } },
      { format: "openai-chat", preset: presets.sandwich },
    ] as const;
    for (const { format, preset } of cases) {
      const { result } = await run([...wire, last] as never, {
        ...{ format, preset, counter: letters, budget: 4_000, summaryPolicy: { ledgerShare: 0 } },
        summarizer: async ({ maxTokens }) => `${"a".repeat(maxTokens - 1)}.`,
      });
      const out = result.messages as unknown as readonly { role: string; content: string }[];
      const added = out.filter((message) => !wire.includes(message) && message !== last);
      const cost = added.reduce((sum, { content }) => sum + content.length + 4, 0);
      expect([format, preset.name, cost]).toEqual([format, preset.name, result.plan.spans[0]!.maxTokens]);
      expect(result.warnings).toEqual([]);
    }
  });

  it("has no more than its frame leaves where the frame is for all that was said", async () => {
    const preset = { ...presets.chat, maxFrameTokens: 100 };
    const { requests } = await run(chat(60), { preset, budget: 900, summaryPolicy: { ledgerShare: 0 } });
    expect(requests).toHaveLength(1);
    expect(requests[0]!.maxTokens).toBeLessThan(96);
    const failing = { summarizer: () => Promise.reject(new Error("no network")) };
    const { result } = await run(chat(60), { preset, budget: 900, ...failing });
    expect(result.warnings).toMatchObject([{ message: expect.stringContaining("after 3 attempts") }]);
  });

  it("of a preset that has no use for it, only where something was left out", async () => {
    const preset = { ...presets.agent, name: "window", replace: "nothing" } as const;
    const { result } = await run(chat(60), { preset });
    expect(result.warnings).toMatchObject([
      {
        code: "summarizer-unused",
        message: 'The preset "window" put no summary in place of what is left out, so the summarizer was not asked.',
      },
    ]);
    const drop: Rung = {
      name: "mine",
      rule: "drop",
      strategy: (draft) => {
        for (let atom = 0; atom < 40; atom++) draft.drop(atom);
      },
    };
    const own = await run(chat(60), { rungs: [drop] });
    expect(own.result.warnings[0]?.message).toMatch(/^The rungs given as options put no summary/);
    const clip: Rung = {
      name: "clip",
      rule: "clip",
      strategy: (draft) => {
        for (let atom = 1; atom < 60; atom += 2) draft.cut(atom, { message: atom, toTokens: 20 });
      },
    };
    const clipped = await run(chat(60), { rungs: [clip], budget: 2_200 });
    expect(clipped.result.outcome).toBe("folded");
    expect(clipped.result.warnings).toEqual([]);
  });
});
