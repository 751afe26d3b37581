import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodingNames } from "./encoding.ts";
import { getEncoding } from "./get-encoding.ts";
import { RankSweep } from "./rank-sweep.ts";

/** Letters without case, or small ones, of many scripts: characters that are tokens and others. */
const letter = fc
  .oneof(
    ...[
      [0x61, 0x7a],
      [0xdf, 0xf6],
      [0x430, 0x44f],
      [0x5d0, 0x5ea],
      [0x627, 0x63a],
      [0xe01, 0xe2e],
      [0x3041, 0x3094],
      [0x4e00, 0x9fa5],
      [0xac00, 0xd7a3],
      [0x20000, 0x2a6d0],
    ].map(([min, max]) => fc.integer({ min: min!, max: max! })),
  )
  .map((codePoint) => String.fromCodePoint(codePoint));

// Small letters and ideographs only, so that every text is one piece.
const piece = fc.oneof(
  fc
    .tuple(fc.constantFrom("", " "), fc.string({ unit: letter, minLength: 1, maxLength: 90 }))
    .map((parts) => parts.join("")),
  fc.string({ unit: fc.constantFrom(..."оеаинтсрвлкмдпуя"), minLength: 1, maxLength: 90 }),
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

  it("merges rank by rank, from bytes, to what whole characters and the walk come to", () => {
    fc.assert(
      fc.property(piece, (text) => {
        const bytes = encoder.encode(text);
        const tokens = new Int32Array(bytes.length);
        const count = sweep.merge(bytes, 0, bytes.length, tokens);
        expect(Array.from(tokens.subarray(0, count))).toEqual(encoding.encode(text));
      }),
      { numRuns: 3000 },
    );
  });
});
