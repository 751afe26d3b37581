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
