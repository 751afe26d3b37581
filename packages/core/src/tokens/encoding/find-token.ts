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

const { highMasks, longStride, longestTokenBytes, lowMasks, middleStride, noMerge, shortStride } = layout;

/** The token that is exactly these bytes, or -1. */
export function findToken(vocabulary: Vocabulary, view: DataView, at: number, length: number): number {
  if (length <= 8) {
    const low = view.getInt32(at, true) & lowMasks[length]!;
    const high = view.getInt32(at + 4, true) & highMasks[length]!;
    return findShort(vocabulary, low, high, length);
  }
  if (length <= 16) return findMiddle(vocabulary, view, at, length);
  if (length > longestTokenBytes) return -1;
  return findLong(vocabulary, view, at, length, hashBytes(view, at, length));
}

function findMiddle({ middle, tokenFilter }: Vocabulary, view: DataView, at: number, length: number): number {
  const first = view.getInt32(at, true);
  const second = view.getInt32(at + 4, true);
  const third = view.getInt32(at + 8, true) & lowMasks[length - 8]!;
  const fourth = view.getInt32(at + 12, true) & highMasks[length - 8]!;
  const hash = hashFour(first, second, third, fourth);
  if ((tokenFilter[hash >>> 16]! & (1 << (hash >>> 11))) === 0) return -1;
  let slot = (hash >>> slotShift(middle.length / middleStride)) * middleStride;
  for (;;) {
    const value = middle[slot + 4]!;
    if (value === 0) return -1;
    if (
      middle[slot] === first &&
      middle[slot + 1] === second &&
      middle[slot + 2] === third &&
      middle[slot + 3] === fourth &&
      (value & 31) === length
    ) {
      return value >>> 5;
    }
    slot = slot + middleStride === middle.length ? 0 : slot + middleStride;
  }
}

function findShort({ short, tokenFilter }: Vocabulary, low: number, high: number, length: number): number {
  const hash = hashWords(low, high);
  if ((tokenFilter[hash >>> 16]! & (1 << (hash >>> 11))) === 0) return -1;
  let slot = (hash >>> slotShift(short.length / shortStride)) * shortStride;
  for (;;) {
    const value = short[slot + 2]!;
    if (value === 0) return -1;
    if (short[slot] === low && short[slot + 1] === high && (value & 15) === length) return value >>> 4;
    slot = slot + shortStride === short.length ? 0 : slot + shortStride;
  }
}

/** As `findToken`, for more than 16 bytes whose hash is known. */
export function findLong(vocabulary: Vocabulary, view: DataView, at: number, length: number, hash: number): number {
  const { long, longBytes, tokenFilter, lengths } = vocabulary;
  if ((tokenFilter[hash >>> 16]! & (1 << (hash >>> 11))) === 0) return -1;
  const mask = long.length - 1;
  let slot = (hash >>> slotShift(long.length / longStride)) * longStride;
  for (; ; slot = (slot + longStride) & mask) {
    const id = long[slot]! - 1;
    if (id < 0) return -1;
    if (lengths[id] !== length) continue;
    const spelled = long[slot + 1]!;
    // Four bytes at a time, the last four from the end.
    let offset = length - 4;
    while (offset > 0 && view.getInt32(at + offset) === longBytes.getInt32(spelled + offset)) offset -= 4;
    if (offset <= 0 && view.getInt32(at) === longBytes.getInt32(spelled)) return id;
  }
}

/** The longest token at a place that is at most `limit` long, or -1 where `limit` is 0. */
export function longestToken(vocabulary: Vocabulary, view: DataView, at: number, limit: number): number {
  const low = view.getInt32(at, true);
  if (limit >= 3) {
    let mask = vocabulary.lengthsFrom[startSlot(low & 0xffffff)]!;
    if (mask < 0 && limit >= 31) {
      const token = veryLongToken(vocabulary, view, at, limit);
      if (token >= 0) return token;
    }
    mask &= limit < 30 ? (2 << limit) - 1 : 0x7fffffff;
    if (mask >= 64) {
      const longer = vocabulary.lengthsFromSix[sixSlot(low, view.getInt32(at + 4, true))]!;
      // Bit 15 stands for every length from 21 on.
      mask &= (longer << 6) | (longer >= 0x8000 ? 0x7fe0003f : 0x3f);
    }
    while (mask !== 0) {
      const length = 31 - Math.clz32(mask);
      mask ^= 1 << length;
      const token = findToken(vocabulary, view, at, length);
      if (token >= 0) return token;
    }
  }
  if (limit >= 2) {
    const { byteIds, bytePairs } = vocabulary;
    const pair = bytePairs[(byteIds[low & 0xff]! << 8) | byteIds[(low >>> 8) & 0xff]!]!;
    if (pair !== noMerge) return pair;
  }
  return limit >= 1 ? vocabulary.byteIds[low & 0xff]! : -1;
}

function veryLongToken(vocabulary: Vocabulary, view: DataView, at: number, limit: number): number {
  for (const length of vocabulary.longLengths) {
    if (length > limit) continue;
    const token = findToken(vocabulary, view, at, length);
    if (token >= 0) return token;
  }
  return -1;
}
