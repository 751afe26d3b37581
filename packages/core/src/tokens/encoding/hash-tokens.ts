import { sharedInts, sharedShorts } from "./shared-memory.ts";
import type { Spelled } from "./spell-tokens.ts";
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

const { longStride, middleStride, noMerge, pairStride, partBits, shortStride } = layout;

/** 32 bits in each of 65 536 words: nine in ten of the bytes that are no token are known as such. */
const filterWords = 65_536;

type TokenHashes = Pick<Vocabulary, "short" | "middle" | "long" | "longBytes" | "twoBytes" | "tokenFilter">;

/** Room for the hashes that find a whole token by its bytes, by how many there are, and the filter before them. */
export function hashTokens(lengths: Uint8Array, { longBytes, longOffsets }: Spelled): TokenHashes {
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
export function putTokens(
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
export function hashPairs({ size, left, right, lengths }: Pick<Vocabulary, "size" | "left" | "right" | "lengths">) {
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
export function maskLengths(lengths: Uint8Array, { words }: Spelled) {
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
