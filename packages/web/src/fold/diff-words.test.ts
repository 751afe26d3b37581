import fc from "fast-check";
import { expect, test } from "vitest";
import { diffWords } from "./diff-words.ts";

test("says which words came and which went", () => {
  expect(diffWords("the port is 8080 now", "the port is 9090 now")).toEqual([
    { kind: "same", text: "the port is " },
    { kind: "removed", text: "8080" },
    { kind: "added", text: "9090" },
    { kind: "same", text: " now" },
  ]);
});

test("both texts can be read back from the pieces", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", " ", "\n", "long word "), { maxLength: 40 })
    .map((words) => words.join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = diffWords(before, after);
      const without = (kind: string) =>
        pieces
          .filter((piece) => piece.kind !== kind)
          .map((piece) => piece.text)
          .join("");
      expect(without("added")).toBe(before);
      expect(without("removed")).toBe(after);
    }),
  );
});
