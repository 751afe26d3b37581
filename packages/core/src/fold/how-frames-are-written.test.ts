import { describe, expect, it } from "vitest";
import { type Frame, parseFrame } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { FoldOptions } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";

const counter = getCounter("len/4");
const words = (at: number) =>
  `Point ${at}: the pump in hall ${at} was looked at, cleaned and put back to work. `.repeat(4);
const roleAt = (at: number) => (at % 2 === 0 ? ("user" as const) : ("assistant" as const));
const fold = <Wire>(messages: readonly Wire[], options: FoldOptions = {}) =>
  foldSync(messages, { counter, budget: 1_500, recall: 0, ...options } as never);
const added = <Wire>(messages: readonly Wire[], options: FoldOptions = {}) =>
  fold(messages, options).messages.filter((message) => !messages.includes(message as Wire));

describe("what a fold adds is spelled as the conversation is", () => {
  const listed = (at: number) => ({ role: roleAt(at), content: [{ type: "text", text: words(at) }] });
  const plain = (at: number) => ({ role: roleAt(at), content: words(at) });
  const many = <Wire>(of: (at: number) => Wire) => Array.from({ length: 60 }, (_, at) => of(at));

  it("as text or as blocks, by the first message of the same role", () => {
    expect(added(many(plain), { format: "openai-chat" })[0]).toMatchObject({ content: expect.any(String) });
    expect(added(many(listed), { format: "openai-chat" })[0]).toMatchObject({ content: [{ type: "text" }] });
    const mixed = many((at) => (roleAt(at) === "user" ? listed(at) : plain(at)));
    expect(added(mixed, { format: "openai-chat" })[0]).toMatchObject({ role: "user", content: [{ type: "text" }] });
    const other = many((at) => (roleAt(at) === "user" ? plain(at) : listed(at)));
    expect(added(other, { format: "openai-chat" })[0]).toMatchObject({ role: "user", content: expect.any(String) });
    const begun = [{ ...listed(1) }, ...many(plain)];
    expect(added(begun, { format: "openai-chat" })[0]).toMatchObject({ role: "user", content: expect.any(String) });
    const kept = { role: "system", content: [{ type: "text", text: "You are a foreman." }] };
    expect(fold([kept, ...many(plain)], { format: "openai-chat" }).messages[0]).toBe(kept);
    // The first one counts, so that what is added stays the same as the conversation grows.
    const later = [...many(plain), listed(60)];
    expect(added(later, { format: "openai-chat" })[0]).toMatchObject({ content: expect.any(String) });
  });

  it("by the first message where nobody of that role has spoken", () => {
    const asked = (at: number) => ({ id: `m${at}`, role: "user", parts: [{ type: "text", text: words(at) }] });
    const question = { id: "last", role: "user", parts: [{ type: "text", text: "Which pump is in hall 7?" }] };
    const out = added([...many(asked), question], { recall: 300 });
    expect(out.some((message) => (message as { role: string }).role === "assistant")).toBe(true);
    for (const message of out) expect(message).toMatchObject({ id: expect.any(String), parts: [{ type: "text" }] });
  });

  it("with ids of their own where messages have ids, also where the same words are added twice", () => {
    const messages = many((at) => ({ id: `m${at}`, role: roleAt(at), parts: [{ type: "text", text: words(at) }] }));
    const question = { id: "last", role: "user", parts: [{ type: "text", text: "Which pump is in hall 7?" }] };
    // Nothing stays between the frame and the question, so both it and the excerpts need a line of the other side.
    const preset = { ...presets.agent, tail: { messages: 1 } };
    const result = fold([...messages, question], { recall: 300, preset });
    const out = result.messages as { id: string; parts: { text: string }[] }[];
    const notes = out.filter(({ parts }) => parts[0]!.text === "OK");
    expect(notes.length).toBeGreaterThan(1);
    expect(new Set(out.map(({ id }) => id)).size).toBe(out.length);
    expect(notes.map(({ id }) => id.replace(notes[0]!.id, ""))).toEqual(["", "-1"]);
  });
});

describe("a frame", () => {
  const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
  const talk = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => said(roleAt(from + at), words(from + at)));
  const textIn = ({ parts }: Message) => (parts[0]?.type === "text" ? parts[0].text : "");
  const own = (options: FoldOptions) => ({ format: "midfold", ...options }) as never as FoldOptions;
  const frameIn = (messages: readonly unknown[]): Frame =>
    (messages as Message[]).map((message) => parseFrame(textIn(message))).find((found) => found !== undefined)!;

  it("does not say again what stays in the conversation", () => {
    const fact = "The invoice is INV-48213-K.";
    const messages = [...talk(0, 21), said("assistant", fact), ...talk(22, 60)];
    const frame = (more: readonly Message[], options: FoldOptions = {}) =>
      frameIn(fold([...messages, ...more], own(options)).messages).text;
    expect(frame([said("user", "Go on.")])).toContain("INV-48213-K");
    expect(frame([said("user", `You said: ${fact} Go on.`)])).not.toContain("INV-48213-K");
    const asked = [said("user", "Which one?"), said("assistant", fact), said("user", "Yes.")];
    expect(frame(asked)).not.toContain("INV-48213-K");
    expect(frame([said("user", "Go on.")], { system: `Know this: ${fact}` })).not.toContain("INV-48213-K");
    // A system prompt in blocks has no text of its own.
    expect(frame([said("user", "Go on.")], { system: [{ type: "text", text: "x" }] as never })).toContain(
      "INV-48213-K",
    );
  });

  it("with much room says where each line was said, by the place in the conversation", () => {
    const call = (at: number): Message[] => [
      { role: "assistant", parts: [{ type: "tool-call", id: `c${at}`, name: "look", input: "{}" }] },
      {
        role: "tool",
        parts: [
          {
            type: "tool-result",
            callId: `c${at}`,
            content: [{ type: "text", text: `The meter reads ${at * 7 + 1000} bar. ${words(at)}` }],
          },
        ],
      },
    ];
    const messages = [
      said("system", "You are a foreman."),
      ...Array.from({ length: 500 }, (_, at) => (at % 10 === 5 ? call(at) : [said(roleAt(at), words(at))])).flat(),
      said("user", "Go on."),
    ];
    const { text } = frameIn(fold(messages, own({ budget: 30_000, target: 0.5 })).messages);
    const cited = [...text.matchAll(/^- m(\d+) \w+: Point (\d+):/gm)];
    expect(cited.length).toBeGreaterThan(20);
    for (const [, place, point] of cited) {
      expect(JSON.stringify(messages[Number(place)])).toContain(`Point ${point}:`);
    }
    const read = [...text.matchAll(/^- m(\d+) look: The meter reads (\d+)/gm)];
    expect(read.length).toBeGreaterThan(20);
    for (const [, place, bars] of read) {
      expect(JSON.stringify(messages[Number(place)])).toContain(`The meter reads ${bars} bar.`);
    }
  });

  it("where each stretch has one of its own, says it all the same", () => {
    const work = (at: number): Message[] => [
      said("user", `Step ${at}`),
      said("assistant", `I looked at INV-48213-K in hall ${at}. ${words(at)}`),
      said("assistant", `It is done. ${words(at)}`),
    ];
    const messages = [...Array.from({ length: 8 }, (_, at) => work(at)).flat(), said("user", "And INV-48213-K?")];
    const out = fold(messages, own({ preset: "compact", budget: 2_000, force: true })).messages as Message[];
    const fromFold = out.filter((message) => !messages.includes(message));
    expect(fromFold.length).toBeGreaterThan(1);
    expect(fromFold.every((message) => textIn(message).includes("INV-48213-K"))).toBe(true);
  });

  it("of less than 400 tokens says in a few words what it is", () => {
    const style = (budget: number) => frameIn(fold(talk(0, 60), own({ budget })).messages)?.style;
    expect(style(3_000)).toBe("fenced");
    expect(style(500)).toBe("short");
  });

  it("stays within its room, with the line of the other side where turns are taken", () => {
    for (let budget = 700; budget < 2_000; budget += 130) {
      const wire = Array.from({ length: 60 }, (_, at) => ({ role: roleAt(at), content: words(at) }));
      const { tokens } = fold(wire, { format: "anthropic-messages", budget });
      expect(tokens.after).toBeLessThanOrEqual(budget);
    }
  });

  describe("over more than 250,000 tokens", () => {
    /** Counts so many times what there is: a short conversation weighs as much as a long one. */
    const heavy = (factor: number): TokenCounter => ({
      ...{ name: "heavy", exact: true },
      count: (text) => counter.count(text) * factor,
      countMessage: (message) => counter.countMessage(message) * factor,
      countMessages: (messages) => counter.countMessages(messages) * factor,
      countTools: (tools) => counter.countTools(tools) * factor,
      take: (text, most) => counter.take(text, most / factor),
      takeLast: (text, most) => counter.takeLast(text, most / factor),
    });
    const carried = (factor: number) => {
      const options = own({ counter: heavy(factor), budget: 1_500 * factor });
      const first = fold(talk(0, 60), options);
      const rule = "Rules from the user, word for word (later ones win):\n- You must never open valve ZETA-9.";
      const state = { ...first.state, texts: [rule] } as FoldRecord;
      const grown = [...talk(0, 60), ...talk(60, 120)];
      const next = fold(grown, { ...options, state });
      expect(next.outcome).toBe("folded");
      return frameIn(next.messages).text;
    };

    it("carries the digest before it on; a shorter one is made from the messages", () => {
      expect(carried(200)).toContain("ZETA-9");
      expect(carried(1)).not.toContain("ZETA-9");
    });
  });
});
