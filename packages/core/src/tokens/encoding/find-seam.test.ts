import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSeam } from "./byte-pair-encoding.ts";
import { charFlags } from "./char-flags.ts";
import { encodingNames } from "./encoding.ts";
import { getEncoding } from "./get-encoding.ts";

const chars = charFlags();
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "word",
        " ",
        "  ",
        "\n",
        "'s",
        "'",
        "12",
        ".",
        "/",
        "你好",
        "，",
        "é",
        "e\u0301",
        "ABC",
        "👍",
        "\ud800",
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("findSeam", () => {
  it.each(encodingNames)("cuts where no count changes: %s", (name) => {
    const encoding = getEncoding(name);
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 12 }), (value, reach) => {
        const ids: number[] = [];
        for (let from = 0; from < value.length; ) {
          const to = findSeam(value, from, reach, chars);
          expect(to).toBeGreaterThan(from);
          ids.push(...encoding.encode(value.slice(from, to)));
          from = to;
        }
        expect(ids).toEqual(encoding.encode(value));
      }),
      { numRuns: 3000 },
    );
  });

  it("looks further when there is no seam within reach, and ends at the end", () => {
    const run = "a".repeat(100);
    expect(findSeam(run, 0, 10, chars)).toBe(100);
    expect(findSeam(`${run} ${run}`, 0, 10, chars)).toBe(100);
    expect(findSeam("one two three", 0, 9, chars)).toBe(7);
  });
});
