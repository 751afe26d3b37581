import { sharedBytes } from "./shared-memory.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The bytes of all tokens, while the tables are built. */
export interface Spelled {
  /** The first sixteen bytes of each token as four words, lowest byte first, NULs behind. */
  readonly words: Int32Array;
  /** Tokens longer than that, end to end, and where each starts. */
  readonly longBytes: Uint8Array;
  readonly longOffsets: ReadonlyMap<number, number>;
}

type Tokens = Pick<Vocabulary, "size" | "left" | "right" | "lengths" | "byteIds">;

/** Joins every token from its parts, which come before it; by words, because that is what the hashes take. */
export function spellTokens(tokens: Tokens): Spelled {
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
