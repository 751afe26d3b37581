import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodingNames } from "./encoding.ts";
import { getEncoding } from "./get-encoding.ts";
import { RankSweep } from "./rank-sweep.ts";

// Small letters and ideographs only, so that every text is one piece.
const piece = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."abcdeghilmnoprstu"), minLength: 1, maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(..."的一是不了人我在有他这为之大来以个中上们到说国"),
    minLength: 1,
    maxLength: 30,
  }),
  fc
    .tuple(fc.constantFrom("a", "ab", "aab", "的", "的一", "token"), fc.integer({ min: 1, max: 80 }))
    .map(([part, times]) => part.repeat(times)),
);

describe.each(encodingNames)("%s", (name) => {
  const encoding = getEncoding(name);
  const sweep = new RankSweep(encoding.vocabulary);
  const encoder = new TextEncoder();

  it("merges rank by rank to what the walk finds", () => {
    fc.assert(
      fc.property(piece, (text) => {
        const bytes = encoder.encode(text);
        const tokens = new Int32Array(bytes.length);
        const count = sweep.merge(bytes, 0, bytes.length, tokens);
        expect(Array.from(tokens.subarray(0, count))).toEqual(encoding.encode(text));
      }),
      { numRuns: 1500 },
    );
  });
});
