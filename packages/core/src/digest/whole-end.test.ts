import { describe, expect, it } from "vitest";
import type { Offer, Piece } from "./choose.ts";
import type { Source } from "./sources.ts";
import { wholeEnds } from "./whole-end.ts";

const sourceOf = (text: string, more: Partial<Source> = {}): Source => ({
  ...{ kind: "text", by: "assistant", name: undefined, callId: undefined, about: undefined, isError: false },
  ...{ message: 0, id: undefined, at: undefined, carried: false, text },
  ...more,
});
const pieceOf = (sources: readonly Source[], source: number, text: string, value = 1): Piece => {
  const start = sources[source]!.text.indexOf(text);
  return { source, start, end: start + text.length, text, value };
};
const endsOf = (sources: readonly Source[], pieces: readonly Piece[]) =>
  [...wholeEnds({ sources } as unknown as Offer, { pieces, cost: 7 })].map((choice) => {
    expect(choice.cost).toBe(7);
    return choice.pieces.map(({ text }) => text);
  });

describe("a digest that ends in the middle of a sentence", () => {
  const sources = [
    sourceOf("The pump runs. It was cleaned on Monday by Anna, who has the key. Then they left."),
    sourceOf("Valve 9 is shut. Nobody opened it since."),
  ];

  it("is quoted on to the end of that sentence, and no further", () => {
    expect(endsOf(sources, [pieceOf(sources, 0, "It was cleaned on Monday")])).toEqual([
      ["It was cleaned on Monday by Anna, who has the key."],
    ]);
  });

  it("the last entry is the one that stands last in the conversation, in whichever order they were chosen", () => {
    const [first, last] = [pieceOf(sources, 0, "The pump runs."), pieceOf(sources, 1, "Nobody opened")];
    const whole = ["The pump runs.", "Nobody opened it since."];
    expect(endsOf(sources, [first, last])[0]).toEqual(whole);
    expect(endsOf(sources, [last, first])[0]).toEqual(whole);
    const later = pieceOf(sources, 0, "It was cleaned");
    expect(endsOf(sources, [later, first])[0]).toEqual([
      "The pump runs.",
      "It was cleaned on Monday by Anna, who has the key.",
    ]);
  });

  it("is left as it is where its last entry is whole, has its latest value behind it, or was carried on", () => {
    expect(endsOf(sources, [pieceOf(sources, 0, "The pump runs.")])).toEqual([]);
    const marked = { ...pieceOf(sources, 0, "It was cleaned on Monday"), text: "It was cleaned [later: Friday]" };
    expect(endsOf(sources, [marked])).toEqual([]);
    const carried = [sourceOf("It was cleaned on Monday by Anna.", { carried: true })];
    expect(endsOf(carried, [pieceOf(carried, 0, "It was cleaned")])).toEqual([]);
    expect(endsOf(sources, [])).toEqual([]);
  });

  it("says the day that is meant, where it is known", () => {
    const said = [sourceOf("Anna signed the lease yesterday and left.", { at: "2026-03-02T12:00:00" })];
    expect(endsOf(said, [pieceOf(said, 0, "Anna signed the lease")])).toEqual([
      ["Anna signed the lease yesterday and left. [1 Mar]"],
    ]);
  });

  it("may give up to three entries that are worth less for it, the least first, and none that is long or worth more", () => {
    const facts = ["A is 1 x.", "B is 2 x.", "C is 3 x.", "D is 4 x.", "E is 5 x."];
    const long =
      "F is a long entry that nobody would give for so little as the end of one sentence is worth, is it not.";
    const told = [...facts, long, "It ended when the last of them had gone home."].map((text) => sourceOf(text));
    const values = [5, 1, 3, 2, 90, 1];
    const pieces = [...facts, long].map((text, at) => pieceOf(told, at, text, values[at]!));
    const last = pieceOf(told, 6, "It ended when the last", 22);
    const whole = "It ended when the last of them had gone home.";
    expect(endsOf(told, [...pieces, last])).toEqual([
      [...facts, long, whole],
      ["A is 1 x.", "C is 3 x.", "D is 4 x.", "E is 5 x.", long, whole],
      ["A is 1 x.", "C is 3 x.", "E is 5 x.", long, whole],
      ["A is 1 x.", "E is 5 x.", long, whole],
    ]);
  });
});

describe("output that ends in the middle of a line", () => {
  const output = (text: string) => [sourceOf(text, { kind: "result", by: "tool", name: "run" })];

  it("is quoted on to the end of the line", () => {
    const lines = output("error: no such file a.ts\nand more");
    expect(endsOf(lines, [pieceOf(lines, 0, "error: no such")])).toEqual([["error: no such file a.ts"]]);
    const last = output("error: no such file");
    expect(endsOf(last, [pieceOf(last, 0, "error")])).toEqual([["error: no such file"]]);
  });

  it("unless the line goes on for long", () => {
    const rest = (length: number) => output(`error${"x".repeat(length)}\nand more`);
    expect(endsOf(rest(160), [pieceOf(rest(160), 0, "error")])).toHaveLength(1);
    expect(endsOf(rest(161), [pieceOf(rest(161), 0, "error")])).toEqual([]);
  });
});
