import { describe, expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { CompositeStrategy, SlidingWindowStrategy, sizeOf, type TruncationStrategy } from "./truncation-strategy.ts";

const counter = getCounter("gpt-4");
const long = "one two three four five six seven ".repeat(60);
const strategy = new SlidingWindowStrategy();
const half: TruncationStrategy = { truncate: (messages) => messages.slice(messages.length / 2) };

describe("when even what must stay is too large", () => {
  it("the system prompt stays, and of the user's last message as much as fits", () => {
    const system = { role: "system", content: "Be brief." };
    const out = strategy.truncate([system, { role: "user", content: long }], 120, counter);
    expect(out).toHaveLength(2);
    expect(out[0]).toBe(system);
    expect(out[1]).toMatchObject({ role: "user", content: expect.stringContaining("one two three") });
    expect(counter.countMessages(out)).toBeLessThanOrEqual(120);
  });

  it("of a list without the user, as much of the assistant's last message", () => {
    const out = strategy.truncate(
      [
        { role: "assistant", content: "First." },
        { role: "assistant", content: long },
      ],
      100,
      counter,
    );
    expect(out).toHaveLength(1);
    expect(out[0]).toMatchObject({ role: "assistant", content: expect.stringContaining("one two three") });
    expect(counter.countMessages(out)).toBeLessThanOrEqual(100);
  });

  it("a list without the user never becomes empty, nor only the system prompt", () => {
    const system = { role: "system", content: "Be brief." };
    const out = strategy.truncate([system, { role: "assistant", content: long }], 100, counter);
    expect(out).toMatchObject([system, { role: "assistant", content: expect.stringContaining("one two three") }]);
  });

  it.each([4, 6, 8, 10, 12, 16, 20, 30, 50])(
    "a list without the user, %i tokens: something of it, or an error",
    (target) => {
      let out: readonly object[] | undefined;
      try {
        out = strategy.truncate([{ role: "assistant", content: long }], target, counter);
      } catch (error) {
        expect(error).toMatchObject({ code: "CONTEXT_OVERFLOW" });
        expect(target).toBeLessThan(12);
        return;
      }
      expect(out).toHaveLength(1);
      expect(out[0]).toMatchObject({ role: "assistant" });
      expect(counter.countMessages(out)).toBeLessThanOrEqual(target);
    },
  );

  it("where nothing of it fits, the error names the sizes", () => {
    const list = [
      { role: "system", content: long },
      { role: "user", content: long },
    ];
    const system = counter.countMessages(list.slice(0, 1));
    expect(() => strategy.truncate(list, 200, counter)).toThrow(
      expect.objectContaining({
        code: "CONTEXT_OVERFLOW",
        message:
          `Only 200 tokens are allowed, and the system messages take ${system} of them: ` +
          "nothing of the last message fits. Shorten them or allow more.",
        details: { budget: 200, room: 200 - system },
      }),
    );
  });

  it("a list that fits exactly is left alone, before and after each strategy", () => {
    const list = Array.from({ length: 8 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `message ${index}`,
    }));
    const all = new CompositeStrategy([half, half]);
    expect(all.truncate(list, counter.countMessages(list), counter)).toBe(list);
    expect(all.truncate(list, counter.countMessages(list.slice(4)), counter)).toEqual(list.slice(4));
    expect(all.truncate(list, counter.countMessages(list.slice(6)), counter)).toEqual(list.slice(6));
  });

  it("an empty list weighs nothing", () => {
    expect(sizeOf([], counter)).toBe(0);
    expect(strategy.truncate([], 100, counter)).toEqual([]);
  });

  it("a sliding window that need not keep the system prompt lets it go first, and only where that is needed", () => {
    const system = { role: "system", content: "Be brief." };
    const talk = Array.from({ length: 6 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `message ${index}`,
    }));
    const list = [system, ...talk];
    const loose = new SlidingWindowStrategy({ preserveSystem: false, windowSize: 4 });
    expect(loose.truncate(list, counter.countMessages(list), counter)).toBe(list);
    expect(loose.truncate(list, counter.countMessages(list) - 1, counter)).toEqual(talk.slice(-4));
    const wide = new SlidingWindowStrategy({ preserveSystem: false, windowSize: 6 });
    expect(wide.truncate(list, counter.countMessages(list) - 1, counter)).toEqual(talk);
  });
});
