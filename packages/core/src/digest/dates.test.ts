import { expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { daysAround, namesTime, withDate, withoutDate } from "./dates.ts";
import { digest } from "./digest.ts";

it.each([
  ["We agreed on it yesterday.", "We agreed on it yesterday. [2026-03-01]"],
  ["Das machen wir heute.", "Das machen wir heute. [2026-03-02]"],
  ["Nous partons demain.", "Nous partons demain. [2026-03-03]"],
  ["我们昨天同意了。", "我们昨天同意了。 [2026-03-01]"],
  ["She left two weeks ago.", "She left two weeks ago. [said 2026-03-02]"],
  ["The review is next Tuesday.", "The review is next Tuesday. [said 2026-03-02]"],
  ["Not today, tomorrow.", "Not today, tomorrow. [said 2026-03-02]"],
  ["The port is 8443.", "The port is 8443."],
  ["Yesterdays are gone.", "Yesterdays are gone."],
])("%s", (line, dated) => {
  expect(withDate(line, "2026-03-02T12:00:00")).toBe(dated);
  expect(withDate(line, undefined)).toBe(line);
  expect(withDate(line, "some day")).toBe(line);
});

it("a digest says which day was meant, and says it once through further digests", () => {
  const counter = getCounter("gpt-4o");
  const said = (text: string, at: string) => ({ role: "user" as const, parts: [{ type: "text" as const, text }], at });
  const talk = [
    said("Anna signed the lease yesterday.", "2026-03-02T12:00:00"),
    said("She moves in next week.", "2026-03-05T12:00:00"),
  ];
  const first = digest(talk, { counter, maxTokens: 400 }).text;
  expect(first).toContain("Anna signed the lease yesterday. [2026-03-01]");
  expect(first).toContain("She moves in next week. [said 2026-03-05]");
  const second = digest([said("Fine.", "2026-04-01T12:00:00")], { counter, maxTokens: 400, previous: first }).text;
  expect(second).toContain("Anna signed the lease yesterday. [2026-03-01]");
  expect(second).not.toContain("2026-03-31");
  expect(second.match(/\[said /g)).toHaveLength(1);
});

it("the days around one are the day before, that day and the day after, also over the end of a month", () => {
  expect(daysAround("2026-03-01T12:00:00")).toEqual(["2026-02-28", "2026-03-01", "2026-03-02"]);
  expect(daysAround("2026-10-09T12:00:00")).toEqual(["2026-10-08", "2026-10-09", "2026-10-10"]);
  expect(daysAround("some day")).toEqual([]);
});

it("a line that says when is known, and is as it was said without what was added", () => {
  for (const line of [
    "See you Tomorrow.",
    "vor drei Wochen",
    "先週の話",
    "内日",
    "It was last night.",
    "Due in October",
  ]) {
    expect([line, namesTime(line)]).toEqual([line, line !== "内日"]);
  }
  expect(namesTime("The port is 8443.")).toBe(false);
  expect(withoutDate("She left. [2026-03-01] She is gone [said 2026-03-02].")).toBe("She left. She is gone.");
  expect(withoutDate("[2026-03-01]x")).toBe("x");
  expect(withoutDate("See [26-03-01] and [m3].")).toBe("See [26-03-01] and [m3].");
});
