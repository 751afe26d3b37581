import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodingNames } from "./encoding.ts";
import { getEncoding } from "./get-encoding.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(
      fc.constantFrom("word ", "überlang", "你好世界", "👨‍👩‍👧‍👦", "e\u0301", "   ", "\n\n", "123456", "'s", "\ud800"),
      { maxLength: 40 },
    )
    .map((parts) => parts.join("")),
);
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const boundaries = (value: string) =>
  new Set([...graphemes.segment(value)].map((part) => part.index).concat(value.length));

describe.each(encodingNames)("%s", (name) => {
  const encoding = getEncoding(name);

  it("takes a start that is within the budget and ends between graphemes", () => {
    fc.assert(
      fc.property(text, fc.nat(40), (value, maxTokens) => {
        const start = encoding.take(value, maxTokens);
        expect(value.startsWith(start)).toBe(true);
        expect(encoding.count(start)).toBeLessThanOrEqual(maxTokens);
        expect(boundaries(value).has(start.length)).toBe(true);
        if (encoding.count(value) <= maxTokens) expect(start).toBe(value);
      }),
      { numRuns: 1500 },
    );
  });

  it("takes an end that is within the budget and starts between graphemes", () => {
    fc.assert(
      fc.property(text, fc.nat(40), (value, maxTokens) => {
        const end = encoding.takeLast(value, maxTokens);
        expect(value.endsWith(end)).toBe(true);
        expect(encoding.count(end)).toBeLessThanOrEqual(maxTokens);
        expect(boundaries(value).has(value.length - end.length)).toBe(true);
        if (encoding.count(value) <= maxTokens) expect(end).toBe(value);
      }),
      { numRuns: 1500 },
    );
  });

  it("uses the budget up where words end", () => {
    const value = "one two three four five six seven eight nine ten";
    expect(encoding.take(value, 3)).toBe("one two three");
    expect(encoding.takeLast(value, 3)).toBe(" eight nine ten");
    const long = "The same words over and over. ".repeat(20_000);
    expect(encoding.count(encoding.take(long, 1000))).toBe(1000);
    expect(encoding.count(encoding.takeLast(long, 1000))).toBe(1000);
  });

  it("takes nothing where nothing fits", () => {
    expect(encoding.take("👨‍👩‍👧‍👦", 1)).toBe("");
    expect(encoding.takeLast("👨‍👩‍👧‍👦", 1)).toBe("");
    expect(encoding.take("text", 0)).toBe("");
    expect(encoding.takeLast("text", -1)).toBe("");
  });
});
