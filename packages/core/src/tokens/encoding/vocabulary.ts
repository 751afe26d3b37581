/**
 * One encoding's tokens as flat arrays, so that threads can share them. Ids are merge ranks. Every id below 256 is one
 * byte; every other is the join of two lower ids.
 */
export interface Vocabulary {
  /** One more than the highest id. */
  readonly size: number;
  /** The two parts a token was merged from; a single byte is its own part. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly lengths: Uint8Array;
  /** The id of each single byte. */
  readonly byteIds: Int32Array;
  /** Hash of tokens up to 8 bytes: low word, high word, `id << 4 | length`. */
  readonly short: Int32Array;
  /** Hash of tokens of 9 to 16 bytes: four words, then `id << 5 | length`. */
  readonly middle: Int32Array;
  /** Hash of longer tokens: id + 1, and where its bytes are in `longBytes`. */
  readonly long: Int32Array;
  readonly longBytes: DataView;
  /** One bit per hash of a token: most questions about bytes that are no token end here, in the processor's cache. */
  readonly tokenFilter: Int32Array;
  /** Hash of merges, two words each: the first part and the second, and above each 14 bits of the id they make. */
  readonly pairs: Int32Array;
  readonly pairFilter: Int32Array;
  /** The id that two bytes make, by their own ids (`first << 8 | second`), or `noMerge`. */
  readonly bytePairs: Int32Array;
  /** By code point up to U+FFFF, where `chars` has the character; 0 where it is not one token. */
  readonly charIndex: Uint16Array;
  /**
   * Characters that are tokens, two words each: the id, and beside what bytes merging must not start from it. Bit `n` is
   * a following byte that ends in `n` (its lowest four bits), bit `16 + n` a preceding one.
   */
  readonly chars: Int32Array;
  /** By a hash of three bytes, the lengths of the tokens that start with them, one bit each; the top bit: 31 or more. */
  readonly lengthsFrom: Int32Array;
  /** By a hash of six bytes, the same for lengths from 6 on; bit 0 is 6, bit 15 is 21 or more. */
  readonly lengthsFromSix: Uint16Array;
  /** One bit for every two bytes that are a token. */
  readonly twoBytes: Int32Array;
  /** The lengths of 31 and more that any token has, longest first. */
  readonly longLengths: Int32Array;
}

const multiplier = 0x9e3779b1;
const other = 0x85ebca6b;

/** The hash of two words: a token of up to 8 bytes, or the two parts of a merge. Its top bits are the best. */
export const hashWords = (low: number, high: number) => Math.imul(low ^ Math.imul(high, other), multiplier);

/** The hash of four words: a token of 9 to 16 bytes. */
export const hashFour = (first: number, second: number, third: number, fourth: number) =>
  hashWords(first + Math.imul(third, 0x27d4eb2f), second + Math.imul(fourth, 0x165667b1));

/** The hash of more than 8 bytes, by words; the last ones may overlap those before. */
export function hashBytes(view: DataView, at: number, length: number): number {
  const end = at + length;
  let hash =
    Math.imul(view.getInt32(at, true), 0x27d4eb2f) ^
    Math.imul(view.getInt32(at + 4, true), other) ^
    Math.imul(view.getInt32(end - 8, true), 0x165667b1) ^
    Math.imul(view.getInt32(end - 4, true) ^ length, 0xc2b2ae35);
  for (let word = at + 8; word < end - 8; word += 4) {
    hash ^= hash >>> 15;
    hash = Math.imul(hash ^ view.getInt32(word, true), multiplier);
  }
  hash ^= hash >>> 15;
  return Math.imul(hash, multiplier);
}

/** Where `lengthsFrom` keeps what starts with these three bytes. */
export const startSlot = (threeBytes: number) => Math.imul(threeBytes, multiplier) >>> 16;

/** Where `lengthsFromSix` keeps what starts with these six bytes, given as two words of which the second is half. */
export const sixSlot = (low: number, high: number) => hashWords(low, high & 0xffff) >>> 16;

/** How far to shift a hash so that it numbers the slots of a table. */
export const slotShift = (slots: number) => Math.clz32(slots) + 1;

/** What the tables are made of. As with `charClass`, modules on the hot path take constants of their own from it. */
export const layout = {
  /** No token has more bytes. */
  longestTokenBytes: 128,
  /** Above all ids: two parts that do not merge. */
  noMerge: 0x7fffffff,
  /** How many words a slot takes. */
  shortStride: 3,
  middleStride: 5,
  longStride: 2,
  pairStride: 2,
  /** How many bits of a word in `pairs` a part takes. */
  partBits: 18,
  partMask: 0x3ffff,
  /** What to keep of the first and second word of a token by its length. */
  lowMasks: Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1, -1, -1, -1, -1),
  highMasks: Int32Array.of(0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, -1),
} as const;
