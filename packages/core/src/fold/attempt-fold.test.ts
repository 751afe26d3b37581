import { describe, expect, it } from "vitest";
import { parseFrame } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import type { Rung } from "../plan/draft.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { fold } from "./fold.ts";
import type { FoldOptions } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";

const quarter = getCounter("len/4");
const said = (role: "user" | "assistant", text: string): Message => ({ role, parts: [{ type: "text", text }] });
const talk = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, at) =>
    said(
      at % 2 === 0 ? "user" : "assistant",
      `Point ${at}: shelf ${at * 7 + 3} of hall ${at % 5} holds part P-${4000 + at}. `.repeat(3),
    ),
  );
const textIn = ({ parts }: Message) => (parts[0]?.type === "text" ? parts[0].text : "");
const isFrame = (message: Message) => /^\[(\d+ earlier|Notes on)/.test(textIn(message));

/** Counts frames with something in them as more than their text comes to, as a provider may that bills a message by its own rule. */
function surcharging(more: (text: string) => number): TokenCounter {
  const weigh = (message: Message) =>
    quarter.countMessage(message) +
    (isFrame(message) && /Point|hall|P-/.test(textIn(message)) ? more(textIn(message)) : 0);
  return {
    name: "surcharging",
    exact: true,
    count: (text) => quarter.count(text),
    take: (text, tokens) => quarter.take(text, tokens),
    takeLast: (text, tokens) => quarter.takeLast(text, tokens),
    countTools: (tools) => quarter.countTools(tools),
    countMessage: weigh as TokenCounter["countMessage"],
    countMessages: ((list: readonly Message[]) =>
      list.reduce((sum, message) => sum + weigh(message), 3)) as TokenCounter["countMessages"],
  };
}
const options = (counter: TokenCounter, more: FoldOptions = {}): FoldOptions => ({
  format: "midfold",
  counter,
  budget: 900,
  recall: 0,
  ...more,
});

describe("a frame that weighs more than was planned", () => {
  it.each([0.1, 0.2, 0.5])("by %d of its text: is planned again with less room, until it fits", (part) => {
    const counter = surcharging((text) => Math.ceil(quarter.count(text) * part));
    const { messages, tokens, outcome } = foldSync(talk(60), options(counter) as never);
    expect(outcome).toBe("folded");
    expect(messages.some(isFrame)).toBe(true);
    expect(tokens.after).toBeLessThanOrEqual(900);
    expect(tokens.after).toBe(counter.countMessages(messages));
    // Less room than is needed, not as little as possible.
    expect(tokens.after).toBeGreaterThan(600);
  });

  it("the texts of a model are shortened, and the model is not asked again", async () => {
    const counter = surcharging((text) => Math.ceil(quarter.count(text) / 3));
    let calls = 0;
    const summarizer = async () => {
      calls++;
      return Array.from({ length: 90 }, (_, at) => `Part P-${4000 + at} stands in hall ${at % 5}.`).join(" ");
    };
    const { messages, tokens, state } = await fold(
      talk(60),
      options(counter, { preset: "chat", summarizer, summaryPolicy: { ledgerShare: 0 } }),
    );
    expect(calls).toBe(1);
    expect(state?.by).toBe("summary");
    expect(tokens.after).toBeLessThanOrEqual(900);
    const frame = textIn(messages.find(isFrame)!);
    expect(frame).toContain("Part P-4000 stands in hall 0.");
    // Shortened behind a whole sentence.
    expect(frame).toMatch(/stands in hall \d\.\n?(\]|<\/)/);
    expect(state!.texts[0]!.length).toBeLessThan(90 * 30);
  });

  it("where the model failed, the digest is written again for the room there is", async () => {
    const counter = surcharging((text) => Math.ceil(quarter.count(text) / 3));
    const summarizer = () => Promise.reject(new Error("no network"));
    const { messages, tokens, state } = await fold(
      talk(200),
      options(counter, { preset: "chat", summarizer, budget: 2_000 }),
    );
    expect(state?.by).toBe("digest");
    expect(tokens.after).toBeLessThanOrEqual(2_000);
    const frame = parseFrame(textIn(messages.find(isFrame)!))!;
    expect(frame.kind).toBe("digest");
    // Each line whole, as a digest writes them.
    for (const line of frame.text.split("\n")) expect(line).toMatch(/^- |:$/);
  });

  it("a stretch that is new in the second plan has a digest, and one without room for a word has no frame", async () => {
    const counter = surcharging((text) => (text.includes("Sum 1") ? 220 : 0));
    const again = (frame: number): Rung => ({
      name: "mine",
      rule: "one stretch, then two",
      strategy: (draft, goal) => {
        const spans = goal.budget === 900 ? [600] : [frame, 300];
        for (const [at, room] of spans.entries()) {
          const span = draft.openSpan("summary");
          for (let atom = 0; atom < 25; atom++) draft.fold(at * 25 + atom, span);
          draft.setFrame(span, room);
        }
        if (spans.length === 1) for (let atom = 25; atom < 52; atom++) draft.drop(atom);
      },
    });
    let calls = 0;
    const run = (frame: number) =>
      fold(
        talk(60),
        options(counter, {
          rungs: [again(frame)],
          summarizer: async () => {
            calls++;
            return "Sum 1 of hall 4. Sum 2. Sum 3.";
          },
          summaryPolicy: { ledgerShare: 0 },
        }),
      );
    const { state, messages } = await run(4);
    expect(calls).toBe(1);
    expect(state!.texts).toEqual(["", expect.stringContaining("hall")]);
    expect(messages.filter(isFrame)).toHaveLength(1);
    expect(state!.by).toBe("summary");
  });

  it("however little there is in it: an overflow that says by how much, with what may be the cause", () => {
    const counter = surcharging(() => 2_000);
    const failing = () => foldSync(talk(60), options(counter) as never);
    expect(failing).toThrow(
      expect.objectContaining({
        code: "CONTEXT_OVERFLOW",
        message: expect.stringMatching(
          /^The conversation cannot be brought under 900 tokens: \d+ too many remain in parts that cannot be clipped, such as images, tool arguments and unknown blocks\.$/,
        ),
        details: { budget: 900, over: expect.any(Number) },
      }),
    );
    try {
      failing();
    } catch (error) {
      const { over } = (error as { details: { over: number } }).details;
      expect(over).toBeGreaterThan(900);
      expect(over).toBeLessThan(2_100);
      expect(String(error)).toContain(`${over} too many`);
    }
  });

  it("what a strategy of one's own throws meanwhile is thrown as it is", () => {
    const counter = surcharging((text) => quarter.count(text));
    const failing: Rung = {
      name: "mine",
      rule: "fold what is old",
      strategy: (draft, goal) => {
        if (goal.budget < 900) throw new TypeError("no second time");
        const span = draft.openSpan("digest");
        for (let atom = 0; atom < 50; atom++) draft.fold(atom, span);
        draft.setFrame(span, 500);
      },
    };
    expect(() => foldSync(talk(60), options(counter, { rungs: [failing] }) as never)).toThrow(
      new TypeError("no second time"),
    );
  });
});

describe("a frame that needs less room than it was given", () => {
  const same = (turns: number) =>
    Array.from({ length: turns }, (_, at) =>
      said(at % 2 === 0 ? "user" : "assistant", "Go on with the same thing as before, please, and do not stop."),
    );

  it("leaves the rest to the newest messages", () => {
    const messages = [...same(200), ...talk(41)];
    const { messages: out, tokens, plan } = foldSync(messages, options(quarter, { budget: 2_000 }) as never);
    expect(tokens.after).toBeLessThanOrEqual(2_000);
    expect(tokens.after).toBeGreaterThan(1_400);
    const kept = out.filter((message) => !isFrame(message)).length;
    // A frame with all its room would leave the tail three hundred tokens.
    expect(kept).toBeGreaterThan(15);
    expect(plan.spans).toHaveLength(1);
  });

  it("results of tools that stay are not clipped before what is older is told", () => {
    const work = Array.from({ length: 12 }, (_, at): Message[] => [
      { role: "assistant", parts: [{ type: "tool-call", id: `c${at}`, name: "read", input: `{"file":"f${at}"}` }] },
      {
        role: "tool",
        parts: [
          {
            type: "tool-result",
            callId: `c${at}`,
            content: [
              { type: "text", text: Array.from({ length: 250 }, (_, row) => `row ${row} of f${at}`).join("\n") },
            ],
          },
        ],
      },
    ]).flat();
    const messages = [said("user", "Read all files."), ...work];
    const whole = quarter.countMessages(messages);
    const { messages: out, plan } = foldSync(messages, options(quarter, { budget: Math.floor(whole * 0.6) }) as never);
    expect(plan.cuts).toEqual([]);
    expect(plan.spans).toHaveLength(1);
    // The newest exchange at least, as it was.
    expect(out.slice(-2)).toEqual(work.slice(-2));
  });

  it("a result too large for what is left is kept with its middle clipped, so that the budget is used", async () => {
    const call = (id: string): Message => ({
      role: "assistant",
      parts: [{ type: "tool-call", id, name: "read", input: "{}" }],
    });
    const result = (callId: string, text: string): Message => ({
      role: "tool",
      parts: [{ type: "tool-result", callId, content: [{ type: "text", text }] }],
    });
    const listing = (key: string) =>
      Array.from({ length: 600 }, (_, at) => (at === 300 ? `the key is ${key}` : `and so ${key} went on`)).join("\n");
    const list = [
      said("user", "Look for the pump."),
      ...["valve", "pump"].flatMap((id) => [call(id), result(id, listing(id).replace(/is \w+/, `is ${id}_7731`))]),
      said("user", "Thanks. Go on with the next one."),
    ];
    const given = options(quarter, { preset: "agent", budget: 3_000 });
    const { messages, tokens, plan } = await fold(list, given);
    expect(tokens.after).toBeGreaterThan(2_700);
    expect(plan.cuts.map(({ message }) => message)).toEqual([4]);
    expect(JSON.stringify(messages)).toContain("pump_7731");
  });

  it("and not where the preset says how much of the newest stays", () => {
    const messages = [...same(200), ...talk(41)];
    const { messages: out } = foldSync(messages, options(quarter, { budget: 2_000, preset: "chat" }) as never);
    const tail = out.filter((message) => !isFrame(message));
    expect(quarter.countMessages(tail)).toBeLessThanOrEqual(1_010);
  });
});

it("what the strategies leave out although it was to stay is an error and not a shorter conversation", () => {
  // Says of every message when it is planned that it may go, and of one afterwards that it had to stay.
  let asked = 0;
  const pin = (_: Message, index: number) => index === 3 && asked++ >= 1;
  expect(() => foldSync(talk(60), options(quarter, { pin }) as never)).toThrow(
    expect.objectContaining({
      code: "INVARIANT_BROKEN",
      message: "The folded conversation failed its check: pinned message 3 was changed.",
      details: expect.objectContaining({ preset: "agent", problems: ["pinned message 3 was changed"] }),
    }),
  );
});

it("a size that is just the budget fits, one token less does not", () => {
  const whole = foldSync(talk(20), options(quarter, { budget: 100_000 }) as never).tokens.before;
  expect(foldSync(talk(20), options(quarter, { budget: whole }) as never).outcome).toBe("fits");
  expect(foldSync(talk(20), options(quarter, { budget: whole - 1 }) as never).outcome).toBe("folded");
});

describe("when a fold begins", () => {
  const outcome = (messages: readonly Message[], preset: object) =>
    foldSync(messages, options(quarter, { budget: 100_000, preset: { ...presets.agent, ...preset } }) as never).outcome;
  const whole = quarter.countMessages(talk(20));

  it("counts as turns what the user said, and nothing else", () => {
    expect(outcome(talk(20), { trigger: { turns: 10 } })).toBe("fits");
    expect(outcome(talk(20), { trigger: { turns: 9 } })).toBe("folded");
    expect(
      outcome([...talk(20), ...talk(20).filter(({ role }) => role === "assistant")], { trigger: { turns: 10 } }),
    ).toBe("fits");
  });

  it("not below the size the preset asks for, unless it is over the budget", () => {
    const trigger = { messages: 5 };
    expect(outcome(talk(20), { trigger, minTokens: whole + 1 })).toBe("below-minimum");
    expect(outcome(talk(20), { trigger, minTokens: whole })).toBe("folded");
    expect(outcome(talk(20), { trigger, minMessages: 20 })).toBe("below-minimum");
    expect(outcome(talk(20), { trigger, minMessages: 19 })).toBe("folded");
    const over = { ...presets.agent, minTokens: 100_000, minMessages: 500 };
    expect(foldSync(talk(60), options(quarter, { preset: over }) as never).outcome).toBe("folded");
  });

  it("returns what is below the size as the very array", () => {
    const messages = talk(20);
    const preset = { ...presets.agent, trigger: { messages: 5 }, minTokens: 100_000 };
    const result = foldSync(messages, options(quarter, { budget: 100_000, preset }) as never);
    expect(result.messages).toBe(messages);
    expect(result.changed).toBe(false);
  });
});

describe("a clipped message", () => {
  it("gets the room that is left over", () => {
    const counter = getCounter("gpt-4o");
    const result = Array.from({ length: 80 }, (_, at) => `row ${at}: shelf ${at * 7}`).join("\n");
    // Says next to nothing, so the frame leaves most of its half of the room.
    const hum = "na ".repeat(900);
    const list: Message[] = [
      said("user", "Sing."),
      said("assistant", hum),
      said("user", "List the rows."),
      { role: "assistant", parts: [{ type: "tool-call", id: "c1", name: "rows", input: "{}" }] },
      { role: "tool", parts: [{ type: "tool-result", callId: "c1", content: [{ type: "text", text: result }] }] },
    ];
    for (let budget = 400; budget < 800; budget += 20) {
      const { tokens, messages } = foldSync(list, options(counter, { preset: "agent", budget }) as never);
      expect(messages.at(-1)!.role).toBe("tool");
      expect(tokens.after).toBeLessThanOrEqual(budget);
      expect(tokens.after, `budget ${budget}`).toBeGreaterThan(budget * 0.9);
    }
  });
});

describe("a frame that needs less than its room", () => {
  const plain = "The old harbour lies behind the hill where the road turns. ";
  const chatter = Array.from({ length: 160 }, (_, at) =>
    said(
      at % 2 === 0 ? "user" : "assistant",
      `Part P-${4000 + at} of order A-${at * 7 + 1000} is in hall ${at}. ${plain.repeat(3)}`,
    ),
  );
  const whole = quarter.countMessages(chatter);

  it.each([1.3, 1.5, 2])("leaves the rest to the newest messages, so that the budget is used: %d to 1", (ratio) => {
    const budget = Math.floor(whole / ratio);
    const { tokens, messages } = foldSync(chatter, options(quarter, { budget }) as never);
    expect(messages.some(isFrame)).toBe(true);
    expect(tokens.after).toBeGreaterThan(budget * 0.95);
    expect(tokens.after).toBeLessThanOrEqual(budget);
  });

  it("and rules, which get a share of it, have the same room in a smaller one", () => {
    const rule = (at: number) => `Never put the lamp of room ${at * 3 + 101} by the ${at % 2 ? "door" : "wall"}.`;
    const work = Array.from({ length: 40 }, (_, at): Message[] => [
      said("user", rule(at)),
      { role: "assistant", parts: [{ type: "tool-call", id: `c${at}`, name: "look", input: `{"at":${at}}` }] },
      {
        role: "tool",
        parts: [{ type: "tool-result", callId: `c${at}`, content: [{ type: "text", text: plain.repeat(8) }] }],
      },
      said("assistant", "It is there now."),
    ]).flat();
    const budget = Math.floor(quarter.countMessages(work) / 2);
    const { tokens, messages } = foldSync(work, options(quarter, { budget }) as never);
    expect(tokens.after).toBeGreaterThan(budget * 0.93);
    const note = parseFrame(textIn(messages.find(isFrame)!))!;
    const kept = messages.map(textIn).join("\n");
    const told = note.rules.join("\n");
    for (let at = 0; at < 20; at++) expect(told).toContain(rule(at));
    for (let at = 20; at < 40; at++) expect(kept).toContain(rule(at));
  });
});

describe("in little room plain talk", () => {
  const ask = [
    said("user", "Always answer in French."),
    ...talk(8),
    said("user", "Which hotels are near the station?"),
    said("assistant", "The Adler, the Bellevue, the Continental and the small Dorint behind the tracks."),
    said("user", "Which of these has a pool?"),
  ];

  it("keeps what was just said before a note: a question bears on it", () => {
    const { messages } = foldSync(ask.slice(1), { counter: quarter, budget: 120, preset: "agent" } as never);
    expect(messages.slice(-2)).toEqual(ask.slice(-2));
  });

  it("still tells a short rule of the user", () => {
    const { messages } = foldSync(ask, { counter: quarter, budget: 160, preset: "agent" } as never);
    expect(messages.map((message) => textIn(message as Message)).join("\n")).toContain("Always answer in French.");
    expect(messages.slice(-2)).toEqual(ask.slice(-2));
  });
});
