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
});
