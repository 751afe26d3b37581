import {
  hashBytes,
  hashFour,
  hashWords,
  layout,
  sixSlot,
  slotShift,
  startSlot,
  type Vocabulary,
} from "./vocabulary.ts";

/** A list of pairs with this in place of both parts has no token at that id. */
export const hole = -1;

/** How many tokens are hashed in one step. */
const tokensPerStep = 16_384;

/**
 * Builds every table of an encoding from its list of pairs: the bytes of the first 256 ids, then the two parts of each
 * later id. In steps of about ten milliseconds, so that whoever has time to wait need not hold the thread.
 */
export function* buildVocabulary(numbers: Int32Array): Generator<undefined, Vocabulary> {
  const size = 256 + (numbers.length - 256) / 2;
  const left = sharedInts(size);
  const right = sharedInts(size);
  const lengths = sharedBytes(size);
  const byteIds = sharedInts(256);
  for (let id = 0; id < 256; id++) {
    left[id] = id;
    right[id] = id;
    lengths[id] = 1;
    byteIds[numbers[id]!] = id;
  }
  for (let id = 256, at = 256; id < size; id++, at += 2) {
    const first = numbers[at]!;
    const second = numbers[at + 1]!;
    left[id] = first;
    right[id] = second;
    if (first !== hole) lengths[id] = lengths[first]! + lengths[second]!;
  }
  const tokens = { size, left, right, lengths, byteIds };
  yield;
  const spelled = spellTokens(tokens);
  yield;
  const hashes = hashTokens(lengths, spelled);
  for (let from = 0; from < size; from += tokensPerStep) {
    putTokens(hashes, tokens, spelled, from, Math.min(size, from + tokensPerStep));
    yield;
  }
  const pairs = hashPairs(tokens);
  yield;
  return { ...tokens, ...hashes, ...pairs, ...maskLengths(lengths, spelled), ...markChars(tokens, spelled) };
}

const { longStride, middleStride, noMerge, pairStride, partBits, shortStride } = layout;

/** 32 bits in each of 65 536 words: nine in ten of the bytes that are no token are known as such. */
const filterWords = 65_536;

type TokenHashes = Pick<Vocabulary, "short" | "middle" | "long" | "longBytes" | "twoBytes" | "tokenFilter">;

/** Room for the hashes that find a whole token by its bytes, by how many there are, and the filter before them. */
function hashTokens(lengths: Uint8Array, { longBytes, longOffsets }: Spelled): TokenHashes {
  let middleCount = 0;
  for (let id = 0; id < lengths.length; id++) if (lengths[id]! > 8 && lengths[id]! <= 16) middleCount++;
  const shortCount = lengths.length - middleCount - longOffsets.size;
  return {
    short: sharedInts(slotsFor(shortCount, 1.4) * shortStride),
    middle: sharedInts(slotsFor(middleCount, 1.4) * middleStride),
    long: sharedInts(slotsFor(longOffsets.size, 2) * longStride),
    longBytes: new DataView(longBytes.buffer),
    twoBytes: sharedInts(2048),
    tokenFilter: sharedInts(filterWords),
  };
}

/** Puts the tokens from id `from` to before `to` into the hashes. */
function putTokens(
  { short, middle, long, longBytes, twoBytes, tokenFilter }: TokenHashes,
  { lengths }: Pick<Vocabulary, "lengths">,
  { words, longOffsets }: Spelled,
  from: number,
  to: number,
): void {
  const shortShift = slotShift(short.length / shortStride);
  const middleShift = slotShift(middle.length / middleStride);
  const longShift = slotShift(long.length / longStride);
  for (let id = from; id < to; id++) {
    const length = lengths[id]!;
    if (length === 0) continue;
    const low = words[id * 4]!;
    const high = words[id * 4 + 1]!;
    let hash = 0;
    if (length <= 8) {
      hash = hashWords(low, high);
      let slot = (hash >>> shortShift) * shortStride;
      while (short[slot + 2] !== 0) slot = slot + shortStride === short.length ? 0 : slot + shortStride;
      short[slot] = low;
      short[slot + 1] = high;
      short[slot + 2] = (id << 4) | length;
      if (length === 2) twoBytes[low >>> 5]! |= 1 << low;
    } else if (length <= 16) {
      const third = words[id * 4 + 2]!;
      const fourth = words[id * 4 + 3]!;
      hash = hashFour(low, high, third, fourth);
      let slot = (hash >>> middleShift) * middleStride;
      while (middle[slot + 4] !== 0) slot = slot + middleStride === middle.length ? 0 : slot + middleStride;
      middle[slot] = low;
      middle[slot + 1] = high;
      middle[slot + 2] = third;
      middle[slot + 3] = fourth;
      middle[slot + 4] = (id << 5) | length;
    } else {
      const offset = longOffsets.get(id)!;
      hash = hashBytes(longBytes, offset, length);
      let slot = (hash >>> longShift) * longStride;
      while (long[slot] !== 0) slot = (slot + longStride) & (long.length - 1);
      long[slot] = id + 1;
      long[slot + 1] = offset;
    }
    tokenFilter[hash >>> 16]! |= 1 << (hash >>> 11);
  }
}

/** The hash of which two tokens merge into which third. */
function hashPairs({ size, left, right, lengths }: Pick<Vocabulary, "size" | "left" | "right" | "lengths">) {
  const slots = slotsFor(size, 1.3);
  const pairs = sharedInts(slots * pairStride);
  const pairFilter = sharedInts(filterWords);
  const bytePairs = sharedInts(65_536).fill(noMerge);
  const shift = slotShift(slots);
  const mask = pairs.length - 1;
  for (let id = 256; id < size; id++) {
    if (lengths[id] === 0) continue;
    const first = left[id]!;
    const second = right[id]!;
    if ((first | second) < 256) bytePairs[(first << 8) | second] = id;
    const hash = hashWords(first, second);
    let slot = (hash >>> shift) * pairStride;
    while ((pairs[slot]! | pairs[slot + 1]!) !== 0) slot = (slot + pairStride) & mask;
    pairs[slot] = first | (id << partBits);
    pairs[slot + 1] = second | ((id >>> (32 - partBits)) << partBits);
    pairFilter[hash >>> 16]! |= 1 << (hash >>> 11);
  }
  return { pairs, pairFilter, bytePairs };
}

/** Which lengths the tokens have that start with the same three, or six, bytes. */
function maskLengths(lengths: Uint8Array, { words }: Spelled) {
  const lengthsFrom = sharedInts(65_536);
  const lengthsFromSix = sharedShorts(65_536);
  const longLengths = new Set<number>();
  for (let id = 0; id < lengths.length; id++) {
    const length = lengths[id]!;
    if (length < 3) continue;
    const low = words[id * 4]!;
    lengthsFrom[startSlot(low & 0xffffff)]! |= 1 << Math.min(length, 31);
    if (length >= 6) lengthsFromSix[sixSlot(low, words[id * 4 + 1]!)]! |= 1 << Math.min(length - 6, 15);
    if (length >= 31) longLengths.add(length);
  }
  const descending = sharedInts(longLengths.size);
  descending.set([...longLengths].sort((a, b) => b - a));
  return { lengthsFrom, lengthsFromSix, longLengths: descending };
}

/** The power of two that leaves at least `room` slots for each entry. */
const slotsFor = (entries: number, room: number) => 2 ** Math.ceil(Math.log2(Math.max(16, entries * room)));

type Tokens = Pick<Vocabulary, "size" | "left" | "right" | "lengths">;

/**
 * Finds the characters of two or three bytes that are tokens, and beside what they can be disturbed while they are
 * merged: a neighbour's byte with which some part at their edge merges earlier than with the rest of its character.
 */
function markChars({ size, left, right, lengths }: Tokens, { words }: Spelled) {
  const charIndex = sharedShorts(65_536);
  const ids: number[] = [];
  for (let id = 256; id < size; id++) {
    const length = lengths[id]!;
    if (length !== 2 && length !== 3) continue;
    const codePoint = charOf(words[id * 4]!, length);
    if (codePoint === 0) continue;
    ids.push(id);
    charIndex[codePoint] = ids.length * 2;
  }
  const firstByte = (id: number) => words[id * 4]!;
  const lastByte = (id: number) => {
    let part = id;
    while (part >= 256) part = right[part]!;
    return words[part * 4]!;
  };
  const after = disturbed(ids, { edge: right, other: left, byteBeyond: firstByte });
  const before = disturbed(ids, { edge: left, other: right, byteBeyond: lastByte });
  const chars = sharedInts(ids.length * 2 + 2);
  for (let at = 0; at < ids.length; at++) {
    chars[at * 2 + 2] = ids[at]!;
    chars[at * 2 + 3] = after[at]! | (before[at]! << 16);
  }
  return { charIndex, chars };
}

interface Side {
  /** The part of a token at this side, and the one at the other. */
  readonly edge: Int32Array;
  readonly other: Int32Array;
  /** The byte of a token that stands beside the edge. */
  readonly byteBeyond: (id: number) => number;
}

/** For each token, one bit for every lowest four bits of a byte beside it that disturbs its merging on this side. */
function disturbed(ids: readonly number[], { edge, other, byteBeyond }: Side): Int32Array {
  // The parts that are ever at this edge, numbered from 1, and for each the first merge with such a byte.
  const numberOf = new Uint16Array(edge.length);
  let parts = 0;
  for (const id of ids) {
    for (let whole = id; whole >= 256; whole = edge[whole]!) {
      if (numberOf[edge[whole]!] === 0) numberOf[edge[whole]!] = ++parts;
    }
  }
  const firstMerges = new Int32Array((parts + 1) * 16).fill(edge.length);
  for (let id = 256; id < edge.length; id++) {
    const part = numberOf[other[id]!]!;
    // Where there is no token there is no part either.
    if (!(part > 0)) continue;
    const at = part * 16 + (byteBeyond(edge[id]!) & 15);
    if (firstMerges[at]! > id) firstMerges[at] = id;
  }
  const bits = new Int32Array(ids.length);
  for (let at = 0; at < ids.length; at++) {
    for (let whole = ids[at]!; whole >= 256; whole = edge[whole]!) {
      const from = numberOf[edge[whole]!]! * 16;
      for (let byte = 0; byte < 16; byte++) if (firstMerges[from + byte]! < whole) bits[at]! |= 1 << byte;
    }
  }
  return bits;
}

/** The code point of two or three bytes, lowest first, or 0 where they are no character. */
function charOf(word: number, length: number): number {
  const first = word & 0xff;
  const second = (word >>> 8) ^ 0x80;
  if (length === 2) return first >= 0xc2 && first < 0xe0 && second < 0x40 ? ((first & 0x1f) << 6) | second : 0;
  const third = (word >>> 16) ^ 0x80;
  if (first < 0xe0 || first >= 0xf0 || (second & 0xff) >= 0x40 || third >= 0x40) return 0;
  return ((first & 0x0f) << 12) | ((second & 0xff) << 6) | third;
}

/** The bytes of all tokens, while the tables are built. */
interface Spelled {
  /** The first sixteen bytes of each token as four words, lowest byte first, NULs behind. */
  readonly words: Int32Array;
  /** Tokens longer than that, end to end, and where each starts. */
  readonly longBytes: Uint8Array;
  readonly longOffsets: ReadonlyMap<number, number>;
}

type SpellableTokens = Pick<Vocabulary, "size" | "left" | "right" | "lengths" | "byteIds">;

/** Joins every token from its parts, which come before it; by words, because that is what the hashes take. */
function spellTokens(tokens: SpellableTokens): Spelled {
  const { size, left, right, lengths, byteIds } = tokens;
  const words = new Int32Array(size * 4);
  let longTotal = 0;
  for (let byte = 0; byte < 256; byte++) words[byteIds[byte]! * 4] = byte;
  for (let id = 256; id < size; id++) {
    if (lengths[id] === 0) continue;
    if (lengths[id]! > 16) longTotal += lengths[id]!;
    joinWords(words, id * 4, left[id]! * 4, right[id]! * 4, lengths[left[id]!]!);
  }
  const longBytes = sharedBytes(longTotal);
  const longOffsets = new Map<number, number>();
  let at = 0;
  for (let id = 256; id < size; id++) {
    if (lengths[id]! <= 16) continue;
    longOffsets.set(id, at);
    for (const part of [left[id]!, right[id]!]) {
      const from = longOffsets.get(part);
      const length = lengths[part]!;
      for (let i = 0; i < length; i++) {
        longBytes[at++] = from === undefined ? words[part * 4 + (i >>> 2)]! >>> ((i & 3) * 8) : longBytes[from + i]!;
      }
    }
  }
  return { words, longBytes, longOffsets };
}

/** Writes the words of two parts side by side, of which the first is `length` bytes; what is beyond sixteen is lost. */
function joinWords(words: Int32Array, to: number, first: number, second: number, length: number): void {
  const skipped = length >>> 2;
  const shift = (length & 3) * 8;
  for (let word = 0; word < 4; word++) {
    let value = words[first + word]!;
    const from = word - skipped;
    if (from >= 0) {
      value |= words[second + from]! << shift;
      if (shift > 0 && from > 0) value |= words[second + from - 1]! >>> (32 - shift);
    }
    words[to + word] = value;
  }
}

// Memory that worker threads can read without a copy, where the platform allows it. A browser page that is not
// isolated has none, and gets ordinary memory.
const allocate = (bytes: number): ArrayBufferLike =>
  typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);

const sharedInts = (length: number): Int32Array => new Int32Array(allocate(length * 4));
const sharedBytes = (length: number): Uint8Array => new Uint8Array(allocate(length));
const sharedShorts = (length: number): Uint16Array => new Uint16Array(allocate(length * 2));
