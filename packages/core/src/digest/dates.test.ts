import { expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { findClauses } from "./clauses.ts";
import { daysAround, namesTime, withDate, withoutDate } from "./dates.ts";
import { digest } from "./digest.ts";
import type { Source } from "./sources.ts";

it.each([
  ["We agreed on it yesterday.", "We agreed on it yesterday. [1 Mar 2026]"],
  ["Das machen wir heute.", "Das machen wir heute. [2 Mar 2026]"],
  ["Nous partons demain.", "Nous partons demain. [3 Mar 2026]"],
  ["我们昨天同意了。", "我们昨天同意了。 [1 Mar 2026]"],
  ["She left two weeks ago.", "She left two weeks ago. [said 2 Mar 2026]"],
  ["The review is next Tuesday.", "The review is next Tuesday. [said 2 Mar 2026]"],
  ["Not today, tomorrow.", "Not today, tomorrow. [said 2 Mar 2026]"],
  ["The port is 8443.", "The port is 8443."],
  ["Yesterdays are gone.", "Yesterdays are gone."],
])("%s", (line, dated) => {
  expect(withDate(line, "2026-03-02T12:00:00")).toBe(dated);
  expect(withDate(line, "2026-03-02T12:00:00", "2026-12-24T12:00:00")).toBe(dated.replace(" 2026]", "]"));
  expect(withDate(line, "2026-03-02T12:00:00", "2027-01-03T12:00:00")).toBe(dated);
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
  expect(first).toContain("Anna signed the lease yesterday. [1 Mar]");
  expect(first).toContain("She moves in next week. [said 5 Mar]");
  const second = digest([said("Fine.", "2026-04-01T12:00:00")], { counter, maxTokens: 400, previous: first }).text;
  expect(second).toContain("Anna signed the lease yesterday. [1 Mar]");
  expect(second).not.toContain("31 Mar");
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
    "vor fünf Tagen",
    "Vor 3 Tagen",
    "hace días",
    "先週の話",
    "内日",
    "It was last night.",
    "Due in October",
  ]) {
    expect([line, namesTime(line)]).toEqual([line, line !== "内日"]);
  }
  expect(namesTime("The port is 8443.")).toBe(false);
  expect(withoutDate("She left. [2026-03-01] She is gone [said 2026-03-02].")).toBe("She left. She is gone.");
  expect(withoutDate("She left. [1 Mar] She is gone [said 12 Dec 2025].")).toBe("She left. She is gone.");
  expect(withoutDate("[2026-03-01]x")).toBe("x");
  expect(withoutDate("See [26-03-01] and [m3].")).toBe("See [26-03-01] and [m3].");
});

it("the day that is written behind a sentence does not make it more worth saying", () => {
  const source = (text: string, at?: string) => ({ kind: "text", by: "user", text, message: 0, at }) as Source;
  const worth = (at?: string) => findClauses([source("We met again yesterday.", at), source("The door is blue.")], []);
  const [dated, plain] = [worth("2026-03-02T12:00:00").clauses[0]!, worth().clauses[0]!];
  expect(dated.text).toBe("We met again yesterday. [1 Mar]");
  expect(dated.cost).toBeGreaterThan(plain.cost);
  expect(dated.value).toBe(plain.value);
});
