import { sharedBytes, sharedInts, sharedShorts } from "./shared-memory.ts";
import {
  hashBytes,
  hashFour,
  hashWords,
  highMasks,
  longStride,
  lowMasks,
  middleStride,
  shortStride,
  sixSlot,
  slotShift,
  startSlot,
  type Vocabulary,
} from "./vocabulary.ts";

/** All tokens end to end, and where each starts. */
interface Spelled extends Pick<Vocabulary, "size" | "lengths"> {
  readonly bytes: DataView;
  readonly offsets: Int32Array;
}

/** 32 bits in each of 65 536 words: nine in ten of the bytes that are no token are known as such. */
const filterWords = 65_536;

/** The two hashes that find a whole token by its bytes: up to eight of them compared as two words, and longer ones. */
export function hashTokens({ size, lengths, bytes: view, offsets }: Spelled) {
  let middleCount = 0;
  let longCount = 0;
  let longTotal = 0;
  for (let id = 0; id < size; id++) {
    if (lengths[id]! > 16) {
      longCount++;
      longTotal += lengths[id]!;
    }
    if (lengths[id]! > 8 && lengths[id]! <= 16) middleCount++;
  }
  const shortSlots = slotsFor(size - middleCount - longCount, 1.4);
  const middleSlots = slotsFor(middleCount, 1.4);
  const middle = sharedInts(middleSlots * middleStride);
  const short = sharedInts(shortSlots * shortStride);
  const longSlots = slotsFor(longCount, 2);
  const long = sharedInts(longSlots * longStride);
  const longBytes = new DataView(sharedBytes(longTotal).buffer);
  let longAt = 0;
  const twoBytes = sharedInts(2048);
  const tokenFilter = sharedInts(filterWords);
  const shortShift = slotShift(shortSlots);
  const middleShift = slotShift(middleSlots);
  const longShift = slotShift(longSlots);
  const longMask = long.length - 1;
  for (let id = 0; id < size; id++) {
    const length = lengths[id]!;
    const at = offsets[id]!;
    let hash = 0;
    if (length === 0) continue;
    if (length <= 8) {
      const low = view.getInt32(at, true) & lowMasks[length]!;
      const high = view.getInt32(at + 4, true) & highMasks[length]!;
      hash = hashWords(low, high);
      let slot = (hash >>> shortShift) * shortStride;
      while (short[slot + 2] !== 0) slot = slot + shortStride === short.length ? 0 : slot + shortStride;
      short[slot] = low;
      short[slot + 1] = high;
      short[slot + 2] = (id << 4) | length;
      if (length === 2) twoBytes[low >>> 5]! |= 1 << low;
    } else if (length <= 16) {
      const first = view.getInt32(at, true);
      const second = view.getInt32(at + 4, true);
      const third = view.getInt32(at + 8, true) & lowMasks[length - 8]!;
      const fourth = view.getInt32(at + 12, true) & highMasks[length - 8]!;
      hash = hashFour(first, second, third, fourth);
      let slot = (hash >>> middleShift) * middleStride;
      while (middle[slot + 4] !== 0) slot = slot + middleStride === middle.length ? 0 : slot + middleStride;
      middle[slot] = first;
      middle[slot + 1] = second;
      middle[slot + 2] = third;
      middle[slot + 3] = fourth;
      middle[slot + 4] = (id << 5) | length;
    } else {
      hash = hashBytes(view, at, length);
      let slot = (hash >>> longShift) * longStride;
      while (long[slot] !== 0) slot = (slot + longStride) & longMask;
      long[slot] = id + 1;
      long[slot + 1] = longAt;
      for (let offset = 0; offset < length; offset++) longBytes.setUint8(longAt++, view.getUint8(at + offset));
    }
    tokenFilter[hash >>> 16]! |= 1 << (hash >>> 11);
  }
  return { short, middle, long, longBytes, twoBytes, tokenFilter };
}

/** The hash of which two tokens merge into which third. */
export function hashPairs({ size, left, right, lengths }: Pick<Vocabulary, "size" | "left" | "right" | "lengths">) {
  const pairs = sharedInts(slotsFor(size, 2));
  const pairFilter = sharedInts(filterWords);
  const shift = slotShift(pairs.length);
  const mask = pairs.length - 1;
  for (let id = 256; id < size; id++) {
    if (lengths[id] === 0) continue;
    const first = left[id]!;
    const second = right[id]!;
    const hash = hashWords(first, second);
    let slot = hash >>> shift;
    while (pairs[slot] !== 0) slot = (slot + 1) & mask;
    pairs[slot] = (id << 14) | (hash & 0x3fff);
    pairFilter[hash >>> 16]! |= 1 << (hash >>> 11);
  }
  return { pairs, pairFilter };
}

/** Which lengths the tokens have that start with the same three, or six, bytes. */
export function maskLengths({ size, lengths, bytes, offsets }: Spelled) {
  const lengthsFrom = sharedInts(65_536);
  const lengthsFromSix = sharedShorts(131_072);
  const longLengths = new Set<number>();
  for (let id = 0; id < size; id++) {
    const length = lengths[id]!;
    if (length < 3) continue;
    const at = offsets[id]!;
    const low = bytes.getInt32(at, true);
    lengthsFrom[startSlot(low & 0xffffff)]! |= 1 << Math.min(length, 31);
    if (length >= 6) lengthsFromSix[sixSlot(low, bytes.getInt32(at + 4, true))]! |= 1 << Math.min(length - 6, 15);
    if (length >= 31) longLengths.add(length);
  }
  const descending = sharedInts(longLengths.size);
  descending.set([...longLengths].sort((a, b) => b - a));
  return { lengthsFrom, lengthsFromSix, longLengths: descending };
}

/** The power of two that leaves at least `room` slots for each entry. */
const slotsFor = (entries: number, room: number) => 2 ** Math.ceil(Math.log2(Math.max(16, entries * room)));
