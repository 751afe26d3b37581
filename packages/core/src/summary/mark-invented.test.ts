import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../digest/arbitrary-messages.test-data.ts";
import { markInvented } from "./mark-invented.ts";

const talk = [
  user("The release is on 14 May 2026, it costs € 1,234.50. Mail mia@example.org about port 8431."),
  assistant("I look at it."),
  call("a", "read", '{"path":"/repo/src/orders/load.ts"}'),
  result("a", "export const limit = 25000; // see https://example.org/a/12"),
];

describe("what a summary says and no message does", () => {
  test("is marked where it stands, once, and listed", () => {
    const { text, invented } = markInvented("The port is 48213. The file src/ghost/made.ts uses port 48213.", talk);
    expect(text).toBe(
      "The port is 48213 [not in the messages]. The file src/ghost/made.ts [not in the messages] uses port 48213.",
    );
    expect(invented).toEqual(["48213", "src/ghost/made.ts"]);
  });

  test.each([
    "The release is on 14 May 2026 and costs 1234.50 €.",
    "Der Release ist am 14. Mai 2026 und kostet 1.234,50 €.",
    "The limit is 25,000 in src/orders/load.ts, see load.ts and https://example.org/a/12.",
    "Mail mia@example.org. Three things, 12 of them, were looked at in 5 files.",
    "They met and spoke about the release.",
    "",
  ])("and what is told in other words is not: %s", (summary) => {
    expect(markInvented(summary, talk)).toEqual({ text: summary, invented: [] });
  });

  test("what the summary before said was said", () => {
    expect(markInvented("The port is 48213.", talk, "The port was changed to 48213.").invented).toEqual([]);
  });

  test("what was marked in the summary before did not become true by that, whether the mark was copied or not", () => {
    const before = markInvented("The port is 48213.", talk).text;
    expect(markInvented("It uses port 48213.", talk, before).invented).toEqual(["48213"]);
    expect(markInvented(before, talk, before)).toEqual({ text: before, invented: [] });
  });

  test("a summary that is nothing but inventions gets so many marks and no more", () => {
    const many = Array.from({ length: 200 }, (_, at) => `Port ${50_000 + at} is open.`).join(" ");
    expect(markInvented(many, talk).invented).toHaveLength(20);
  });
});
