import { describe, expect, it, vi } from "vitest";
import { parseFrame } from "../digest/frame.ts";
import type { Format } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import type { Message } from "../message/message.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { fold } from "./fold.ts";
import type { FoldOptions } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";
import { planOnly } from "./plan-only.ts";
import { readMessages } from "./read-messages.ts";

const quarter = getCounter("len/4");
const talk = (turns: number) =>
  Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Point ${at}: the pump in hall ${at} was looked at, cleaned and put back. `.repeat(4),
  }));

/** The format, and how many messages each call of it decoded. */
function watched(): { format: Format; decoded: number[] } {
  const decoded: number[] = [];
  const real = formats["openai-chat"];
  const format: Format = {
    ...real,
    decode: (wire, options) => {
      decoded.push(wire.length);
      return real.decode(wire, options);
    },
  };
  return { format, decoded };
}
const reject = { onInvalid: "reject" } as const;

describe("a conversation that comes again", () => {
  it("is decoded only where it grew, and its messages are the same ones", () => {
    const { format, decoded } = watched();
    const chat = talk(10);
    const first = readMessages(chat, format, reject);
    const second = readMessages([...chat, ...talk(3)], format, reject);
    expect(decoded).toEqual([10, 3]);
    expect(second.messages).toHaveLength(13);
    expect(first.messages.every((message, at) => second.messages[at] === message)).toBe(true);
    expect(second.reading).toBe(first.reading);
    expect(readMessages([...chat], format, reject).messages).toEqual(first.messages);
    expect(decoded).toEqual([10, 3, 0]);
  });

  it("is decoded from the first message that says something else", () => {
    const { format, decoded } = watched();
    const chat = talk(10);
    const before = readMessages(chat, format, reject).messages;
    chat[6]!.content = "Something else.";
    const after = readMessages(chat, format, reject).messages;
    expect(decoded).toEqual([10, 4]);
    expect(after[6]).toMatchObject({ parts: [{ text: "Something else." }] });
    // What says the same as before keeps its message also behind the change.
    expect(after.map((message, at) => message === before[at])).toEqual(chat.map((_, at) => at !== 6));
  });

  it("and from the start where nothing of its last 64 messages was there, or in another format", () => {
    const { format, decoded } = watched();
    const chat = talk(10);
    readMessages(chat, format, reject);
    readMessages([...chat, ...talk(63)], format, reject);
    expect(decoded).toEqual([10, 63]);
    const { format: other, decoded: anew } = watched();
    readMessages(chat, other, reject);
    expect(anew).toEqual([10]);
    const far = talk(10);
    readMessages(far, format, reject);
    readMessages([...far, ...talk(64)], format, reject);
    expect(decoded.slice(2)).toEqual([10, 74]);
  });

  it("at another place it is another conversation", () => {
    const { format, decoded } = watched();
    const chat = talk(6);
    readMessages(chat, format, reject);
    const shifted = readMessages([{ role: "system", content: "Be brief." }, ...chat], format, reject);
    expect(decoded).toEqual([6, 7]);
    expect(shifted.messages.map(({ role }) => role)).toEqual(["system", ...chat.map(({ role }) => role)]);
  });

  it("shorter again, its earlier part is what it was", () => {
    const { format } = watched();
    const chat = talk(10);
    const whole = readMessages(chat, format, reject);
    const prefix = whole.reading.prefix(4);
    const part = readMessages(chat.slice(0, 4), format, reject);
    expect(part.reading.prefix(4)).toBe(prefix);
    expect(part.messages).toEqual(whole.messages.slice(0, 4));
    expect(part.reading.pairs(4).reach).toHaveLength(4);
    expect(part.reading.atoms([1, 2, 3, 4]).map(({ tokens }) => tokens)).toEqual([1, 2, 3, 4]);
    // The longer reading goes on as it was.
    expect(whole.reading.pairs(10).reach).toHaveLength(10);
    expect(whole.reading.pairs(4).reach).toHaveLength(4);
    expect(whole.reading.atoms([1, 2]).map(({ first, last }) => [first, last])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it("entries that are no objects, and lists that are none, are the format's to refuse", () => {
    const { format } = watched();
    for (const bad of [null, 7, "hello"]) {
      expect(() => readMessages([...talk(2), bad], format, reject)).toThrow(/^messages\[2\]: must be an object/);
      expect(readMessages([...talk(2), bad], format, { onInvalid: "skip" }).messages).toHaveLength(2);
    }
    for (const bad of [{ length: 2 }, null, undefined]) {
      expect(() => readMessages(bad as never, formats["openai-chat"], reject)).toThrow(/must be an array/);
    }
    expect(readMessages([], format, reject).messages).toEqual([]);
  });

  it("where references that may be forgotten do not exist, is read anew each time", () => {
    const { format, decoded } = watched();
    vi.stubGlobal("WeakRef", undefined);
    try {
      const chat = talk(5);
      readMessages(chat, format, reject);
      decoded.length = 0;
      expect(readMessages(chat, format, reject).messages).toHaveLength(5);
      expect(decoded).toEqual([5]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("is weighed once by a counter whose counts stay, and each time by another", () => {
    const chat = talk(8);
    const count = (steady: boolean | undefined) => {
      let calls = 0;
      const counter = {
        name: "counting",
        exact: true,
        ...(steady === undefined ? {} : { steady }),
        count: (text: string) => text.length,
        take: (text: string) => text,
        takeLast: (text: string) => text,
        countTools: () => 0,
        countMessage: () => ++calls,
        countMessages: () => 0,
      } as unknown as TokenCounter;
      const { reading } = readMessages(chat, formats["openai-chat"], reject);
      const first = reading.weights(counter, 6);
      first[0] = 999;
      const second = reading.weights(counter, 8);
      return { calls, second, again: reading.weights(counter, 3) };
    };
    expect(count(true)).toEqual({ calls: 8, second: [1, 2, 3, 4, 5, 6, 7, 8], again: [1, 2, 3] });
    expect(count(undefined).calls).toBe(14);
    expect(count(false).calls).toBe(14);
  });
});

describe("a record that is met again", () => {
  const settings = { counter: quarter, budget: 2_000, recall: 0, target: 0.5 } as const;

  it("and calls that pass records on leave room for what comes next", () => {
    const after = (options: FoldOptions) =>
      foldSync(talk(120), { counter: quarter, budget: 4_000, recall: 0, ...options } as never).tokens.after;
    const single = after({});
    const session = after({ state: undefined });
    expect(single).toBeGreaterThan(3_000);
    expect(session).toBeLessThan(single * 0.85);
    expect(session).toBeGreaterThan(1_200);
  });

  it("what is sent beside the messages takes no part in that, nor does a budget above the line that sets a fold off", () => {
    const target = (options: FoldOptions) =>
      foldSync(talk(600), { counter: quarter, recall: 0, state: undefined, ...options } as never).tokens.target;
    const alone = target({ budget: 20_000 });
    expect(alone).toBeLessThan(18_000);
    expect(target({ budget: 25_000, fixedTokens: 5_000 })).toBe(alone + 5_000);
    const preset = { ...presets.agent, trigger: { tokens: 20_000 } };
    expect(target({ budget: 1_000_000, preset })).toBe(alone);
  });

  it("is used while it fits exactly, and not with one token less", () => {
    const first = foldSync(talk(60), settings);
    const { after } = first.tokens;
    const at = (budget: number) => foldSync(talk(60), { ...settings, budget, state: first.state }).outcome;
    expect(at(after)).toBe("reused");
    expect(at(after - 1)).toBe("folded");
  });

  it("is used above the line that sets a fold off, until the conversation has grown by a tenth of it", () => {
    const preset = { ...presets.agent, trigger: { tokens: 1_000 } };
    const base = { counter: quarter, budget: 50_000, recall: 0, preset } as const;
    const first = foldSync(talk(60), { ...base, target: 1 });
    const record = { ...first.state!, tokens: { ...first.state!.tokens, after: 990 } };
    const at = (grown: number, after = first.tokens.after) =>
      foldSync(talk(60), { ...base, state: { ...record, tokens: { before: 0, after: after - grown } } }).outcome;
    expect(first.tokens.after).toBeLessThanOrEqual(1_000);
    expect(at(5_000)).toBe("reused");
    const long = [...talk(60), ...talk(62).slice(60)];
    const over = (grown: number) => {
      const size = foldSync(long, { ...base, state: { ...record, tokens: { before: 0, after: 100_000 } } });
      expect(size.outcome).toBe("reused");
      expect(size.tokens.after).toBeGreaterThan(1_000);
      const state = { ...record, tokens: { before: 0, after: size.tokens.after - grown } };
      return foldSync(long, { ...base, state }).outcome;
    };
    expect(over(100)).toBe("reused");
    expect(over(101)).toBe("folded");
  });

  it("is not used where it would break what must hold now", () => {
    const first = foldSync(talk(60), settings);
    const pinned = foldSync(talk(60), { ...settings, state: first.state, pin: (_, index) => index === 10 });
    expect(pinned.outcome).toBe("folded");
    expect(pinned.messages).toContainEqual(talk(60)[10]);
  });

  it("may have clipped the last message where the preset allows it", () => {
    const chat = [...talk(4), { role: "user", content: `Read this: ${"word ".repeat(3_000)} What is it about?` }];
    const first = foldSync(chat, { ...settings, budget: 800 });
    expect(first.warnings.map(({ code }) => code)).toContain("last-message-clipped");
    const again = foldSync(chat, { ...settings, budget: 800, state: first.state });
    expect(again.outcome).toBe("reused");
    expect(again.messages).toEqual(first.messages);
  });
});

describe("what a fold knows about its model", () => {
  const codes = (options: FoldOptions) => foldSync(talk(2), options as never).warnings.map(({ code }) => code);

  it("warns of a guess only where one was made", () => {
    expect(codes({ model: "totally-unknown-model" })).toEqual(["unknown-model"]);
    expect(codes({ model: "totally-unknown-model", window: 9_000 })).toEqual([]);
    expect(codes({})).toEqual([]);
    expect(codes({ model: "gpt-4o" })).toEqual([]);
  });

  it("without a model, counts as gpt-4o does", () => {
    const size = (options: FoldOptions) => foldSync(talk(9), options as never).tokens.before;
    expect(size({})).toBe(size({ model: "gpt-4o" }));
    expect(size({})).not.toBe(size({ counter: quarter }));
  });

  it("a counter of one's own that fails is replaced, and the result says so", () => {
    const counter = () => {
      throw new Error("no table");
    };
    const result = foldSync(talk(3), { counter });
    expect(result.tokens.before).toBeGreaterThan(40);
    expect(result.warnings).toHaveLength(1);
    expect(result.warnings[0]!.message).toContain("counts are approximate");
  });

  it("a plain function counts as well as a whole counter", () => {
    const result = foldSync(talk(40), { counter: (text: string) => Math.ceil(text.length / 4), budget: 900 });
    expect(result.outcome).toBe("folded");
    expect(result.tokens.after).toBeLessThanOrEqual(900);
  });

  it("a system prompt beside the messages weighs the same as text and as messages, tools come to it", () => {
    const fixed = (options: FoldOptions) => foldSync(talk(2), { model: "gpt-4o", ...options } as never).tokens.fixed;
    const none = fixed({});
    const text = fixed({ system: "Be brief and kind." });
    const system: Message[] = [{ role: "system", parts: [{ type: "text", text: "Be brief and kind." }] }];
    expect(text).toBeGreaterThan(none + 4);
    expect(fixed({ system })).toBe(text);
    expect(fixed({ system: [...system, ...system] })).toBe(2 * text - none);
    expect(fixed({ fixedTokens: 70 })).toBe(none + 70);
    expect(fixed({ tools: [] })).toBe(none);
    expect(fixed({ tools: [{ name: "look", description: "Looks.", schema: { type: "object" } }] })).toBeGreaterThan(
      none,
    );
  });
});

describe("a previous summary", () => {
  const previous = { text: "They agreed on tea at 4 pm.", covers: 7 };
  const sent = (messages: readonly { role: string; content: unknown }[], options: FoldOptions = {}) =>
    foldSync(messages, { counter: quarter, preset: "chat", previous, ...options } as never).messages as {
      role: string;
      content: string;
    }[];

  it("is written as the preset writes frames", () => {
    expect(parseFrame(sent(talk(2))[0]!.content)).toMatchObject({ style: "fenced", text: previous.text, covers: 7 });
    expect(parseFrame(sent(talk(2), { preset: "sandwich" })[0]!.content)).toMatchObject({
      style: "bracketed",
      text: previous.text,
    });
  });

  it("is signed where the caller gave a secret, by fold as by foldSync", async () => {
    const secret = "a secret of the server";
    const signature = parseFrame(sent(talk(2), { secret })[0]!.content)?.signature;
    expect(signature).toMatch(/^[0-9a-f]{32}$/);
    const { messages } = await fold(talk(2), { counter: quarter, preset: "chat", previous, secret });
    expect(parseFrame(messages[0]!.content)?.signature).toBe(signature);
    expect(parseFrame(sent(talk(2))[0]!.content)?.signature).toBeUndefined();
    const unsigned = await fold(talk(2), { counter: quarter, preset: "chat", previous });
    expect(parseFrame(unsigned.messages[0]!.content)?.signature).toBeUndefined();
    const size = (options: object) =>
      planOnly(talk(2), { counter: quarter, preset: "chat", previous, ...options }).tokens;
    expect(size({ secret }).before).toBeGreaterThan(size({}).before);
  });

  it("stands at the end of a list that is nothing but a system prompt", () => {
    const system = { role: "system", content: "Be kind." };
    const out = sent([system]);
    expect(out[0]).toBe(system);
    expect(parseFrame(out[1]!.content)?.text).toBe(previous.text);
    expect(out).toHaveLength(2);
  });

  it("stands before the first message that can be read", () => {
    const chat = talk(3);
    const out = sent([{ role: 42 } as never, ...chat], { onInvalid: "skip", format: "openai-chat" });
    expect(out.slice(1)).toEqual(chat);
    expect(parseFrame(out[0]!.content)?.text).toBe(previous.text);
  });
});
