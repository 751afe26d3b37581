import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { forecastTurns } from "./forecast-turns.ts";

const talk = (count: number) =>
  Array.from(
    { length: count },
    (_, i): Message => ({ role: i % 2 === 0 ? "user" : "assistant", parts: [{ type: "text", text: "hello" }] }),
  );

describe("forecastTurns", () => {
  it("divides the room by the average of the last turns and ignores unanswered words", () => {
    const weights = [10, 90, 20, 80, 999];
    expect(forecastTurns(talk(5), weights, 1000)).toBe(10);
    expect(forecastTurns(talk(2), [10, 90], 1000)).toBeUndefined();
  });
  it("looks at the last five turns and at no more", () => {
    const weights = [1000, 1000, ...Array.from({ length: 10 }, () => 50)];
    expect(forecastTurns(talk(12), weights, 1000)).toBe(10);
    // The fifth counts, with all that was said in it.
    expect(forecastTurns(talk(12), [1000, 1000, 250, 250, ...weights.slice(4)], 1000)).toBe(5);
  });

  it("says nothing of turns that weigh nothing, and 0 where there is no room", () => {
    expect(forecastTurns(talk(4), [0, 0, 0, 0], 1000)).toBeUndefined();
    expect(forecastTurns(talk(4), [50, 50, 50, 50], -10)).toBe(0);
    expect(forecastTurns(talk(4), [50, 50, 50, 50], 99)).toBe(0);
  });
});
