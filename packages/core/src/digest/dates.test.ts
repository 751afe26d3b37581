import { expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { withDate } from "./dates.ts";
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
