import { describe, expect, it } from "vitest";
import { sayOnce } from "./say-once.ts";

const once = (...sentences: string[]) => sayOnce(sentences, (sentence) => sentence);

describe("what is said again", () => {
  it("is told once, as it was said last", () => {
    expect(once("Please don't call my office.", "Tabs in Makefiles.", "I said: don't call my office!")).toEqual([
      "Tabs in Makefiles.",
      "I said: don't call my office!",
    ]);
    expect(once("I really don't want calls at work.", "I don't want calls.")).toEqual(["I don't want calls."]);
  });

  it("stays where the older sentence says more", () => {
    const both = ["Paint only the garden door in oak green, no other doors.", "No other doors."];
    expect(once(...both)).toEqual(both);
  });

  it.each([
    ["Run the tests.", "If you change the parser, run the tests."],
    ["Deploy to staging first.", "Never deploy to staging first."],
    ["Frag mich zuerst.", "Wenn der Test scheitert, frag mich zuerst."],
    ["Never touch module 3.", "Never touch module 4."],
    ["Write to src/a.ts only.", "Write to src/a.tsx only."],
    ["Lösche src/a.ts nicht.", "不要删除任何文件。"],
  ])("both stand where they say different things: %s %s", (one, other) => {
    expect(once(one, other)).toEqual([one, other]);
    expect(once(other, one)).toEqual([other, one]);
  });

  it("a rule that was quoted when it was taken back, and laid down again, stands", () => {
    const back = 'Forget what I said about tabs: "Never use tabs here" no longer holds.';
    expect(once("Never use tabs here.", back, "Never use tabs here.")).toEqual([back, "Never use tabs here."]);
  });

  it("thousands that begin alike take no time", () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `I do not want to see the file ${at} in any of the lists.`);
    expect(once(...many)).toHaveLength(many.length);
  });
});
