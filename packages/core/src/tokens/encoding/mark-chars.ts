import { sharedInts, sharedShorts } from "./shared-memory.ts";
import type { Spelled } from "./spell-tokens.ts";
import type { Vocabulary } from "./vocabulary.ts";

type Tokens = Pick<Vocabulary, "size" | "left" | "right" | "lengths">;

/**
 * Finds the characters of two or three bytes that are tokens, and beside what they can be disturbed while they are
 * merged: a neighbour's byte with which some part at their edge merges earlier than with the rest of its character.
 */
export function markChars(tokens: Tokens, spelled: Spelled): Pick<Vocabulary, "charIndex" | "chars"> {
  const { size, left, right, lengths } = tokens;
  const { words } = spelled;
  const charIndex = sharedShorts(65_536);
  const ids: number[] = [];
  for (let id = 256; id < size; id++) {
    const codePoint = lengths[id]! === 2 || lengths[id]! === 3 ? charOf(words[id * 4]!, lengths[id]!) : 0;
    if (codePoint === 0) continue;
    ids.push(id);
    charIndex[codePoint] = ids.length * 2;
  }
  const onTheRight = mergesOf(ids, right, left);
  const onTheLeft = mergesOf(ids, left, right);
  const chars = sharedInts(ids.length * 2 + 2);
  for (const [at, id] of ids.entries()) {
    let edges = 0;
    for (let whole = id; whole >= 256; whole = right[whole]!) {
      for (const merge of onTheRight.get(right[whole]!)!) {
        if (merge >= whole) break;
        edges |= 1 << (words[right[merge]! * 4]! & 15);
      }
    }
    for (let whole = id; whole >= 256; whole = left[whole]!) {
      for (const merge of onTheLeft.get(left[whole]!)!) {
        if (merge >= whole) break;
        edges |= 0x10000 << (lastByte(left[merge]!, tokens, spelled) & 15);
      }
    }
    chars[at * 2 + 2] = id;
    chars[at * 2 + 3] = edges;
  }
  return { charIndex, chars };
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

/** For every part at one edge of these tokens, the merges in which it is on the other side, lowest rank first. */
function mergesOf(ids: readonly number[], edge: Int32Array, side: Int32Array): Map<number, number[]> {
  const merges = new Map<number, number[]>();
  const marked = new Uint8Array(side.length);
  for (const id of ids) {
    for (let whole = id; whole >= 256; whole = edge[whole]!) {
      const part = edge[whole]!;
      marked[part] = 1;
      merges.set(part, []);
    }
  }
  for (let id = 256; id < side.length; id++) if (marked[side[id]!] === 1) merges.get(side[id]!)!.push(id);
  return merges;
}

function lastByte(id: number, { right }: Tokens, { words }: Spelled): number {
  let part = id;
  while (part >= 256) part = right[part]!;
  return words[part * 4]! & 0xff;
}
