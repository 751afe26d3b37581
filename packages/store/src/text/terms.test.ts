import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSearchQuery } from "./search-query.ts";
import { toSnippet } from "./snippet.ts";
import { termsOf } from "./terms.ts";

const terms = (text: string) => [...termsOf(text)].map(({ term }) => term);

describe("termsOf", () => {
  it.each([
    ["Hello, World!", ["hello", "world"]],
    ["foo_bar.ts", ["foo", "bar", "ts"]],
    ["Café ÉCOLE naïve", ["cafe", "ecole", "naive"]],
    ["ＦＵＬＬ １２", ["full", "12"]],
    ["北京", ["_5317__4eac_", "_4eac_"]],
    ["x北", ["x", "_5317_"]],
    ["", []],
    ["!?…", []],
  ])("%s", (text, expected) => expect(terms(text)).toEqual(expected));

  it("makes terms of plain ASCII only, at their places in the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        let last = 0;
        for (const { term, start, end } of termsOf(text)) {
          expect(term).toMatch(/^[a-z0-9_]*$/);
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          last = start;
        }
      }),
    );
  });

  it("lets any piece of unspaced text be found in the whole", () => {
    const han = fc.array(fc.constantFrom(..."天地玄黄宇宙洪荒日月"), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(han, fc.nat(), fc.nat(), (characters, a, b) => {
        const [from, to] = [a % characters.length, (b % characters.length) + 1].sort((x, y) => x - y) as [
          number,
          number,
        ];
        const piece = characters.slice(from, Math.max(to, from + 1)).join("");
        const { highlights, snippet } = toSnippet(characters.join(""), parseSearchQuery(piece));
        expect(highlights.some(([start, end]) => snippet.slice(start, end).includes(piece))).toBe(true);
      }),
    );
  });
});
