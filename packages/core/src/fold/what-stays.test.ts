import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFrame } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import { presets } from "../presets/presets.ts";
import type { SummaryRequest } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { fold } from "./fold.ts";
import type { FoldOptions, FoldProgress } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";
import { planOnly } from "./plan-only.ts";

/** A message that weighs exactly so many tokens: the counter reads the number in it. */
const said = (role: Message["role"], tokens: number, id?: string): Message => ({
  role,
  parts: [{ type: "text", text: `${tokens} tokens on wall ${id}, which needs ${tokens} stones.` }],
  ...(id === undefined ? {} : { id }),
});
const talk = (...weights: number[]) =>
  weights.map((tokens, index) => said(index % 2 === 0 ? "user" : "assistant", tokens, `m${index}`));
const call = (...ids: string[]): Message => ({
  role: "assistant",
  parts: ids.map((id) => ({ type: "tool-call", id, name: "look", input: "{}" })),
});
const found = (callId: string, id?: string): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, content: [{ type: "text", text: "found" }] }],
  ...(id === undefined ? {} : { id }),
});

const plain = getCounter("gpt-4o");
const weigh = (message: Message): number => {
  const [part] = message.parts;
  const stated = part?.type === "text" ? /^(\d+) tokens on wall/.exec(part.text) : null;
  return stated === null ? plain.countMessage(message) : Number(stated[1]);
};
const counter: TokenCounter = {
  ...plain,
  name: "stated",
  exact: true,
  count: (text) => plain.count(text),
  take: (text, tokens) => plain.take(text, tokens),
  takeLast: (text, tokens) => plain.takeLast(text, tokens),
  countTools: (tools) => plain.countTools(tools),
  countMessage: weigh as TokenCounter["countMessage"],
  countMessages: ((list: readonly Message[]) =>
    list.reduce((sum, message) => sum + weigh(message), 3)) as TokenCounter["countMessages"],
};
const chat: FoldOptions = { format: "midfold", preset: "chat", counter, window: 100_000, budget: 50_000 };
/** How many messages a fold of this conversation would take, and what the frame may cost. */
const planned = (messages: readonly Message[], options: FoldOptions) => {
  const { spans, tokens } = planOnly(messages, { ...chat, ...options } as never);
  return { folded: spans[0]?.messages ?? 0, frame: spans[0]?.maxTokens ?? 0, after: tokens.after };
};
/** A question at the end stays whatever else does. */
const asked = (...weights: number[]) => [...talk(...weights), said("user", 20)];

describe("retainTokens", () => {
  const force = true;
  it("retains 3 messages when 3 are 900 and 4 are 1100 tokens", () => {
    const messages = asked(5_000, 200, 300, 300, 300);
    expect(planned(messages, { retainTokens: 1_000, force }).folded).toBe(2);
    const result = foldSync(messages, { ...chat, recall: 0, retainTokens: 1_000, force } as never);
    expect(result.messages.slice(1)).toEqual(messages.slice(2));
  });

  it("retains a message that fits exactly, and folds one that is larger than all that may stay", () => {
    expect(planned(asked(5_000, 400, 600), { retainTokens: 1_000, force }).folded).toBe(1);
    expect(planned(asked(100, 5_000), { retainTokens: 1_000, force }).folded).toBe(2);
  });

  it("folds nothing where everything may stay", () => {
    const messages = asked(300, 300);
    const result = foldSync(messages, { ...chat, retainTokens: 1_000, force } as never);
    expect([result.outcome, result.messages]).toEqual(["fits", messages]);
  });

  it("first keeps fewer messages, then holds the frame shorter, and says when even that is too large", () => {
    const at = (budget: number) => planned(asked(4_000, 300, 300, 300), { ...small, budget });
    const small = { retainTokens: 1_000, force, preset: { ...presets.chat, recall: 0, maxFrameTokens: 500 } };
    expect(at(1_430)).toMatchObject({ folded: 1, frame: 500 });
    expect(at(1_230)).toMatchObject({ folded: 2, frame: 500 });
    expect(at(330)).toMatchObject({ folded: 4, frame: 307 });
    expect(() => at(14)).toThrow(expect.objectContaining({ code: "CONTEXT_OVERFLOW" }));
  });

  it("keeps no more when less may stay or less fits, keeps whole messages, and is never over the budget", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(weights, fc.nat(4_000), fc.integer({ min: 200, max: 8_000 }), fc.nat(90), (w, retain, room, less) => {
        const kept = (retainTokens: number, budget: number) => {
          const plan = planOnly(asked(...w), { ...chat, recall: 0, retainTokens, budget, force } as never);
          expect(plan.tokens.after).toBeLessThanOrEqual(budget);
          const stays = (_: number, at: number) => (plan.decisions[at]?.do ?? "keep") === "keep";
          return w.filter(stays).reduce((sum, one) => sum + one, 0);
        };
        const most = kept(retain, room);
        expect(most).toBeLessThanOrEqual(retain);
        expect(kept(Math.max(0, retain - less), room)).toBeLessThanOrEqual(most);
        expect(kept(retain, room - less)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it("is refused where a preset keeps more than the newest, or rungs of one's own decide", () => {
    const messages = asked(300, 300);
    for (const preset of ["proxy", "sandwich", "compact", "full-history"] as const) {
      expect(() => planned(messages, { retainTokens: 10, force, preset })).toThrow(/use "chat" or "agent"/);
    }
    expect(() => planned(messages, { retainTokens: 10, force, rungs: [] })).toThrow(/say two different things/);
    const named = (options: FoldOptions, words: RegExp) => expect(() => planned(messages, options)).toThrow(words);
    named(
      { retainTokens: 10, force, preset: "proxy" },
      /^retainTokens folds everything older, which the preset "proxy"/,
    );
    named({ foldLine: 0, preset: "proxy" }, /^foldLine folds everything older/);
    named({ retainTokens: 10, rungs: [], force }, /^retainTokens and rungs of one's own/);
    named({ foldLine: 0, rungs: [] }, /^foldLine and rungs of one's own/);
  });
});

describe("foldLine", () => {
  it("folds up to it, the last words of the user included, although everything fits", () => {
    const messages = talk(400, 400, 400, 400);
    const all = foldSync(messages, { ...chat, foldLine: "m3" } as never);
    expect(all.outcome).toBe("folded");
    expect(all.messages).toHaveLength(1);
    const some = foldSync(messages, { ...chat, foldLine: 1 } as never);
    expect(some.messages.slice(1)).toEqual(messages.slice(2));
  });

  it("moves out of a tool exchange to its nearer end", () => {
    const messages = [said("user", 90), call("a", "b"), found("a", "x"), found("b"), said("assistant", 90)];
    expect(planned(messages, { foldLine: 2 }).folded).toBe(4);
    expect(planned(messages, { foldLine: "x" }).folded).toBe(4);
    expect(planned(messages, { foldLine: 1 }).folded).toBe(1);
    // Both ends are as near: the exchange is folded.
    const pair = [said("user", 90), call("a"), found("a"), said("assistant", 90)];
    expect(planned(pair, { foldLine: 1 }).folded).toBe(3);
  });

  it("folds a conversation of two messages whole, and one up to a line before its first atom not at all", () => {
    expect(planned(talk(400, 400), { foldLine: 1 }).folded).toBe(2);
    const exchange = [call("a", "b"), found("a"), found("b"), said("user", 90)];
    expect(planned(exchange, { foldLine: 0 }).folded).toBe(0);
    const result = foldSync(exchange, { ...chat, foldLine: 0 } as never);
    expect([result.outcome, result.messages]).toEqual(["fits", exchange]);
  });

  it("keeps what it says in a session too, where a fold by size would keep less", () => {
    const messages = talk(...Array.from({ length: 40 }, () => 400));
    for (const said of [{ foldLine: 3 }, { retainTokens: 14_400, force: true }]) {
      const once = planned(messages, { ...said, budget: 17_000 });
      expect(once.folded).toBeGreaterThan(1);
      expect(once.folded).toBeLessThan(5);
      expect(planned(messages, { ...said, budget: 17_000, state: undefined } as never)).toEqual(once);
    }
  });

  it("stays before a call whose result may still come", () => {
    expect(planned([said("user", 900), call("a")], { foldLine: 1 }).folded).toBe(1);
  });

  it("keeps what is pinned, and fewer tokens than retainTokens only where they do not fit", () => {
    const messages = talk(400, 400, 400, 400);
    const pinned = foldSync(messages, {
      ...chat,
      foldLine: 3,
      pin: (_: Message, index: number) => index === 1,
    } as never);
    expect(pinned.messages).toContain(messages[1]);
    expect(planned(messages, { foldLine: 3, retainTokens: 800 }).folded).toBe(2);
  });

  it("is refused where there is no such message", () => {
    expect(() => planned(talk(10, 10), { foldLine: "nowhere" })).toThrow(/foldLine is nowhere, and there is no such/);
    expect(() => planned(talk(10, 10), { foldLine: 2 })).toThrow(/foldLine is 2, and there is no such message/);
  });
});

describe("previous", () => {
  const words = (count: number) => "We talked about the garden wall and its 12 stones. ".repeat(count);
  const messages = [0, 1, 2, 3].map((at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: words(20) }));
  const previous = { text: "They agreed on tea at 4 pm.", covers: 7 };
  const options: FoldOptions = { model: "gpt-4o", preset: "chat", previous };

  it("stands before the messages and after the system prompt, and counts", () => {
    const system = { role: "system", content: "Be kind." };
    const result = foldSync([system, ...messages], options as never);
    expect(result.outcome).toBe("fits");
    expect(result.changed).toBe(true);
    expect(result.messages[0]).toBe(system);
    expect(result.messages.slice(2)).toEqual(messages);
    const frame = parseFrame((result.messages[1] as { content: string }).content);
    expect(frame).toMatchObject({ text: previous.text, covers: 7 });
    const without = foldSync([system, ...messages], { model: "gpt-4o", preset: "chat" });
    expect(result.tokens.after).toBeGreaterThan(without.tokens.after + 8);
  });

  it("goes out to the letter where it is a frame, and in turns where the format wants them", () => {
    const text = (foldSync(messages, options as never).messages[0] as { content: string }).content;
    const again = foldSync(messages, { ...options, previous: { text, covers: 7 } } as never);
    expect((again.messages[0] as { content: string }).content).toBe(text);
    const claude = foldSync(messages, { ...options, format: "anthropic-messages" } as never);
    expect(claude.messages.map((message) => message.role).slice(0, 3)).toEqual(["user", "assistant", "user"]);
  });

  it("is carried on by the next fold, whose frame stands for all of it", async () => {
    const requests: SummaryRequest[] = [];
    const summarizer = async (request: SummaryRequest) => {
      requests.push(request);
      return "They agreed on tea at 4 pm, and talked about a wall of 12 stones.";
    };
    const result = await fold(messages, { ...options, summarizer, foldLine: 3 });
    expect(requests.map((request) => request.previous)).toEqual([previous.text]);
    expect(result.messages).toHaveLength(1);
    expect(parseFrame((result.messages[0] as { content: string }).content)?.covers).toBe(11);
    const digest = foldSync(messages, { ...options, foldLine: 3 } as never);
    expect(digest.state?.texts[0]).toContain("tea at 4 pm");
  });

  it("is not shortened because little came since", async () => {
    const facts = Array.from(
      { length: 20 },
      (_, at) => `Bed ${at} holds ${at * 3 + 1} roses of the sort R-${1_000 + at}.`,
    );
    const earlier = { text: facts.join(" "), covers: 40 };
    const short = [
      { role: "user", content: "And the new bed behind the shed, what did we say about it?" },
      { role: "assistant", content: "It gets tulips in October, as we said, and nothing before that." },
    ];
    const requests: SummaryRequest[] = [];
    const summarizer = async (request: SummaryRequest) => {
      requests.push(request);
      return `${facts.join(" ")} The new bed gets tulips.`;
    };
    const result = await fold(short, { model: "gpt-4o", preset: "chat", previous: earlier, summarizer, foldLine: 1 });
    expect(requests).toHaveLength(1);
    for (const fact of facts) expect(result.state?.texts[0]).toContain(fact);
  });

  it("is not told again alone, and what a tool said before does not rise to the system role", () => {
    expect(foldSync(messages, { ...options, retainTokens: 5_000, force: true } as never).outcome).toBe("fits");
    const quoted = { ...options, previous: { ...previous, role: "user" }, foldLine: 3 } as never;
    expect(foldSync(messages, quoted).messages[0]).toMatchObject({ role: "user" });
    expect(foldSync(messages, { ...options, foldLine: 3 } as never).messages[0]).toMatchObject({ role: "system" });
  });

  it("meets its record again when the conversation grows", () => {
    const first = foldSync(messages, { ...options, foldLine: 1 } as never);
    const grown = [...messages, { role: "user", content: "And now?" }];
    const next = foldSync(grown, { ...options, budget: 800, recall: 0, state: first.state } as never);
    expect(next.outcome).toBe("reused");
    expect(next.messages.slice(0, 3)).toEqual(first.messages);
  });
});

describe("onProgress", () => {
  const messages = Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Point ${at}: ${"the pump number 7 runs at 40 bar. ".repeat(20)}`,
  }));

  it("tells the stages in order, and each piece of a history that is too long to be read at once", async () => {
    const seen: FoldProgress[] = [];
    const requests: SummaryRequest[] = [];
    await fold(messages, {
      model: "gpt-4o",
      preset: "chat",
      foldLine: 39,
      summary: { inputTokens: 6_000 },
      summarizer: async (request) => {
        requests.push(request);
        return `Up to call ${requests.length}: the pump number 7 runs at 40 bar.`;
      },
      onProgress: (progress) => seen.push(progress),
    });
    expect([...new Set(seen.map(({ stage }) => stage))]).toEqual(["reading", "planning", "writing", "checking"]);
    expect(requests.length).toBeGreaterThan(1);
    // Nothing is left out of the prompts, and each carries the one before on.
    for (let at = 0; at < 40; at++) expect(requests.some(({ prompt }) => prompt.includes(`Point ${at}: `))).toBe(true);
    expect(requests[1]?.previous).toContain("Up to call 1");
    const shares = seen.filter(({ stage }) => stage === "writing").map(({ share }) => share);
    expect(shares).toHaveLength(requests.length);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toEqual({ stage: "checking", share: 1 });
  });

  it("says nothing of a plan where everything fits", async () => {
    const seen: string[] = [];
    await fold(messages.slice(0, 2), { model: "gpt-4o", onProgress: ({ stage }) => seen.push(stage) });
    expect(seen).toEqual(["reading"]);
  });
});
