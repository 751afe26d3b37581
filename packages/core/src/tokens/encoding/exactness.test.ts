import fc from "fast-check";
import { get_encoding } from "tiktoken";
import { afterAll, describe, expect, it } from "vitest";
import { encodingNames } from "./encoding.ts";
import { getEncoding } from "./get-encoding.ts";
import { realTexts } from "./real-texts.test-data.ts";

const runsPerEncoding = 26_000;

// What the splitting rules look at: letters by case, marks, numbers, white space, contractions, line breaks, slashes.
const fragments = [
  ..."aAzZéÉßſʰªǅİKﬁ你界한かカーไहаБЯאشქ가𝒜𐐀𐐨𠀀",
  ...[
    "the",
    " the",
    "Hello",
    "HELLO",
    "helloWorld",
    "HTMLParser",
    "ABC你d",
    "日本語",
    "世界",
    "Привет",
    "हिन्दी",
    "ภาษาไทย",
  ],
  ...[
    " ",
    "  ",
    "   ",
    "\n",
    "\r\n",
    "\n\n",
    "\r",
    "\t",
    "\t\t",
    "\v",
    "\f",
    "\x85",
    "\u00a0",
    "\u3000",
    "\u2028",
    "\ufeff",
  ],
  ...["'", "'s", "'S", "'t", "'re", "'RE", "'Ve", "'ll", "'LL", "'m", "'d", "'ſ", "'x", "’s", "''s"],
  ...["1", "12", "123", "1234", "123456789012", "٣", "½", "Ⅷ", "１２", "3.14", "0x1F", "1,000"],
  ...[
    ".",
    "...",
    "/",
    "//",
    "/*",
    "*/",
    "{}",
    '":"',
    "_",
    "____",
    "--",
    "====",
    "@#~",
    "<|endoftext|>",
    "<|im_start|>",
  ],
  ...["\u0301", "e\u0301", "\u20dd", "❤️", "👍", "👍🏽", "👨‍👩‍👧", "🇩🇪", "\u{e0100}", "\u200d", "\u200b"],
  ...["\0", "\x1f", "\x7f", "\ud800", "\udc00", "\ud83d", "\ufffd", "\uffff", "\u{10ffff}"],
  ...["user_id", "camelCaseWord", "SCREAMING_SNAKE", "https://example.com/a/b?c=d", "aaaaaaaa", "ACGTACGTTG"],
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 10 }).map((parts) => parts.join("")) },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 14 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 14 }) },
  // Any UTF-16 units, so mostly lone surrogates and private characters.
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 14 })
      .map((units) => String.fromCharCode(...units)),
  },
  { weight: 1, arbitrary: fc.base64String({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...fragments), fc.nat(60)).map(([part, times]) => part.repeat(times)),
  },
);

describe.each(encodingNames)("%s", (name) => {
  const ours = getEncoding(name);
  const theirs = get_encoding(name);
  afterAll(() => theirs.free());
  const tiktoken = (value: string) => Array.from(theirs.encode_ordinary(value.toWellFormed()));

  it(`gives tiktoken's ids for ${runsPerEncoding} generated texts`, () => {
    let tokens = 0;
    fc.assert(
      fc.property(text, (value) => {
        const expected = tiktoken(value);
        const ids = ours.encode(value);
        tokens += expected.length;
        // Compared by hand: `expect` so often would take longer than the tokenizer.
        if (ids.length !== expected.length || ids.some((id, at) => id !== expected[at])) return false;
        return ours.count(value) === expected.length;
      }),
      { numRuns: runsPerEncoding },
    );
    expect(tokens).toBeGreaterThan(5 * runsPerEncoding);
  });

  it.each(Object.entries(realTexts))("gives tiktoken's ids for %s", (_, value) => {
    expect(ours.encode(value)).toEqual(tiktoken(value));
    expect(ours.count(value)).toBe(tiktoken(value).length);
  });

  it("counts a text longer than one part as its parts together", () => {
    const long = Object.values(realTexts).join("\n").repeat(50);
    expect(long.length).toBeGreaterThan(100_000);
    expect(ours.count(long)).toBe(tiktoken(long).length);
  });

  // p50k splits as r50k does.
  it.skipIf(name === "p50k_base")("knows every class of character that tiktoken knows", () => {
    // A contraction after the character, and case on both sides, show which class each has; 64 characters a text.
    for (let start = 0; start < 0x30000; start += 64) {
      let probe = "";
      for (let codePoint = start; codePoint < start + 64; codePoint++) {
        const char = String.fromCodePoint(codePoint);
        probe += `${char}'ll a${char}A`;
      }
      expect(ours.encode(probe)).toEqual(tiktoken(probe));
    }
  });
});
