import fc from "fast-check";
import { expect, it } from "vitest";
import { containedIn } from "./contained-in.ts";

it("tells what stands in a text as a search does, whatever its length", () => {
  const text = "The port is 8443; 人均75元. 😀";
  const stands = containedIn(text);
  for (let start = 0; start <= text.length; start++) {
    for (let end = start; end <= text.length; end++) expect(stands(text.slice(start, end))).toBe(true);
  }
  for (const piece of ["8444", "x", "均人", "port  is", `${text}.`])
    expect([piece, stands(piece)]).toEqual([piece, false]);
  // Every three characters of it stand there, the whole does not.
  expect(containedIn("abcd bcde")("abcde")).toBe(false);
  expect([containedIn("")(""), containedIn("")("abc")]).toEqual([true, false]);
});

it("tells the same as a search in a text of few syllables, where all fours of most pieces stand", () => {
  const syllable = fc.constantFrom("ka", "lo", "mi", "ren", " ");
  const words = (maxLength: number) => fc.array(syllable, { maxLength }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(words(60), fc.array(words(6), { maxLength: 40 }), (text, pieces) => {
      const stands = containedIn(text);
      for (const piece of pieces) expect([piece, stands(piece)]).toEqual([piece, text.includes(piece)]);
    }),
  );
});
