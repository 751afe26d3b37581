import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFrame } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { FoldOptions } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";

const counter = getCounter("gpt-4o");
const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
const textIn = ({ parts }: Message) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");
const page = (at: number) =>
  Array.from(
    { length: 60 },
    (_, row) => `src/hall-${at}/pump_${row}.ts has pressure ${at * 100 + row} at valve V-${row}.`,
  );
/** Work of an agent: a request, pages that tools brought, a report. */
const work = (from: number, to: number): Message[] =>
  Array.from({ length: to - from }, (_, index) => from + index).flatMap((at) => [
    said("user", `Look at hall ${at}.`),
    { role: "assistant", parts: [{ type: "tool-call", id: `c${at}`, name: "look", input: `{"hall":${at}}` }] },
    {
      role: "tool",
      parts: [{ type: "tool-result", callId: `c${at}`, content: [{ type: "text", text: page(at).join("\n") }] }],
    },
    said("assistant", `Hall ${at} is done.`),
  ]);
const thing = ["gate", "lamp", "pump", "door", "hinge", "drain", "fence", "stair", "roof", "wall", "sink", "vent"];
const review = thing
  .map((name, at) => `${at + 1}. The ${name} is ${name.length * 7} mm too low; raise it by hand.`)
  .join("\n");
const third = said("user", "Address 3.");
const run = (messages: readonly Message[], options: FoldOptions = {}) =>
  foldSync(messages, { counter, format: "midfold", ...options } as never).messages as unknown as Message[];

describe("what the user's last message answers", () => {
  it.each(["agent", "chat", "proxy"] as const)("stays word for word before it, with %s", (preset) => {
    const answered = said("assistant", review);
    const out = run([...work(0, 12), said("user", "Review the house."), answered, third], { preset, budget: 2_000 });
    expect(out).toContain(answered);
    expect(out.at(-1)).toBe(third);
    expect(out.indexOf(answered)).toBe(out.indexOf(third) - 1);
    expect(out.some(isFrame)).toBe(true);
  });

  it("stays while work on it goes on", () => {
    const answered = said("assistant", review);
    const list = [...work(0, 6), said("user", "Review the house."), answered, third, ...work(6, 12).slice(1)];
    const since = list.filter(
      (message, at) => at < list.indexOf(third) || message.role !== "user" || message === third,
    );
    const out = run(since, { preset: "agent", budget: 4_000 });
    expect(out).toContain(answered);
    expect(out.indexOf(answered)).toBe(out.indexOf(third) - 1);
  });

  it("stays where the user sends more than one message", () => {
    const answered = said("assistant", review);
    const out = run([...work(0, 12), answered, said("user", "Thanks!"), third], { preset: "agent", budget: 2_000 });
    expect(out).toContain(answered);
  });

  it("is clipped in its middle where it would take more than its share", () => {
    const long = said("assistant", `The list begins.\n${Array(40).fill(review).join("\n")}\nWhich one do you want?`);
    const out = run([...work(0, 12), long, third], { preset: "agent", budget: 2_000 });
    const clipped = out.at(-2)!;
    expect(textIn(clipped)).toMatch(/^The list begins\./);
    expect(textIn(clipped)).toMatch(/Which one do you want\?$/);
    expect(counter.countMessage(clipped)).toBeGreaterThan(600);
    expect(counter.countMessage(clipped)).toBeLessThan(1_100);
    expect(out.some(isFrame)).toBe(true);
  });

  it("is folded like anything else once the assistant has replied without any work", () => {
    const answered = said("assistant", Array(12).fill(review).join("\n"));
    const reply = said("assistant", Array(4).fill(review).join("\n"));
    const list = [...work(0, 12), said("user", "Review the house."), answered, third];
    const clipped = (out: Message[]) => out.filter((message) => textIn(message).startsWith("1. The gate"));
    expect(clipped(run(list, { preset: "agent", budget: 4_000 }))).toHaveLength(1);
    expect(clipped(run([...list, reply], { preset: "agent", budget: 4_000 }))).toEqual([reply]);
  });

  it("counts as a part of what chat may keep: no more than its 1,000 tokens", () => {
    const long = said("assistant", Array(40).fill(review).join("\n"));
    const out = run([...work(0, 30), long, third], { preset: "chat", budget: 8_000, recall: 0 });
    const kept = out.filter((message) => !isFrame(message) && message !== third);
    expect(counter.countMessages(kept)).toBeGreaterThan(700);
    expect(counter.countMessages(kept)).toBeLessThanOrEqual(1_010);
  });

  it("is folded like anything else where a preset says how many messages stay and no more", () => {
    const answered = said("assistant", review);
    const preset = { ...presets.agent, tail: { messages: 1 } };
    expect(run([...work(0, 12), answered, third], { preset, budget: 2_000 })).not.toContain(answered);
  });

  it("is there whole where a fifth of the room is enough for it, whatever came before", () => {
    let folded = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 14 }),
        fc.integer({ min: 300, max: 6_000 }),
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom("agent" as const, "chat" as const),
        (pages, budget, words, preset) => {
          const answered = said("assistant", Array.from({ length: words }, (_, at) => thing[at % 12]).join(" "));
          const list = [...work(0, pages), answered, third];
          const room = budget - counter.countMessage(third) - 3;
          if (counter.countMessages(list) <= budget) return;
          const own = counter.countMessage(answered);
          if (own < 24 || own > room * 0.2 || own > 900) return;
          folded++;
          expect(run(list, { preset, budget, recall: 0 })).toContain(answered);
        },
      ),
      { numRuns: 200 },
    );
    expect(folded).toBeGreaterThan(10);
  });
});
