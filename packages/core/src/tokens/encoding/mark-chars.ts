import { sharedInts, sharedShorts } from "./shared-memory.ts";
import type { Spelled } from "./spell-tokens.ts";
import type { Vocabulary } from "./vocabulary.ts";

type Tokens = Pick<Vocabulary, "size" | "left" | "right" | "lengths">;

/**
 * Finds the characters of two or three bytes that are tokens, and beside what they can be disturbed while they are
 * merged: a neighbour's byte with which some part at their edge merges earlier than with the rest of its character.
 */
export function markChars({ size, left, right, lengths }: Tokens, { words }: Spelled) {
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
