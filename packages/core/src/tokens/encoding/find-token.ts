import {
  hashBytes,
  hashWords,
  highMasks,
  longestTokenBytes,
  lowMasks,
  slotShift,
  startSlot,
  type Vocabulary,
} from "./vocabulary.ts";

/** The token that is exactly these bytes, or -1. `view` is over the same memory as `bytes`. */
export function findToken(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  view: DataView,
  at: number,
  length: number,
): number {
  if (length <= 8) {
    const low = view.getInt32(at, true) & lowMasks[length]!;
    const high = view.getInt32(at + 4, true) & highMasks[length]!;
    return findShort(vocabulary, low, high, length);
  }
  if (length > longestTokenBytes) return -1;
  return findLong(vocabulary, bytes, at, length, hashBytes(view, at, length));
}

function findShort({ short, tokenFilter }: Vocabulary, low: number, high: number, length: number): number {
  const hash = hashWords(low, high);
  if ((tokenFilter[hash >>> 16]! & (1 << (hash >>> 11))) === 0) return -1;
  const mask = short.length - 1;
  for (let slot = (hash >>> slotShift(short, 4)) * 4; ; slot = (slot + 4) & mask) {
    const value = short[slot + 2]!;
    if (value === 0) return -1;
    if (short[slot] === low && short[slot + 1] === high && (value & 15) === length) return value >>> 4;
  }
}

/** As `findToken`, for more than 8 bytes whose hash is known. */
export function findLong(
  { long, tokenFilter, lengths, offsets, bytes: spelled }: Vocabulary,
  bytes: Uint8Array,
  at: number,
  length: number,
  hash: number,
): number {
  if ((tokenFilter[hash >>> 16]! & (1 << (hash >>> 11))) === 0) return -1;
  const mask = long.length - 1;
  for (let slot = hash >>> slotShift(long, 1); ; slot = (slot + 1) & mask) {
    const id = long[slot]! - 1;
    if (id < 0) return -1;
    if (lengths[id] !== length) continue;
    let same = offsets[id]!;
    let here = at;
    const stop = at + length;
    while (here < stop && spelled[same] === bytes[here]) {
      same++;
      here++;
    }
    if (here === stop) return id;
  }
}

/** The longest token at a place that is at most `limit` long, or -1 where `limit` is 0. */
export function longestToken(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  view: DataView,
  at: number,
  limit: number,
): number {
  const low = view.getInt32(at, true);
  if (limit >= 3) {
    let mask = vocabulary.lengthsFrom[startSlot(low & 0xffffff)]!;
    if (mask < 0 && limit >= 31) {
      for (const length of vocabulary.longLengths) {
        if (length > limit) continue;
        const token = findToken(vocabulary, bytes, view, at, length);
        if (token >= 0) return token;
      }
    }
    mask &= limit < 30 ? (2 << limit) - 1 : 0x7fffffff;
    while (mask !== 0) {
      const length = 31 - Math.clz32(mask);
      mask ^= 1 << length;
      const token = findToken(vocabulary, bytes, view, at, length);
      if (token >= 0) return token;
    }
  }
  if (limit >= 2) {
    const token = findShort(vocabulary, low & 0xffff, 0, 2);
    if (token >= 0) return token;
  }
  return limit >= 1 ? vocabulary.byteIds[low & 0xff]! : -1;
}
