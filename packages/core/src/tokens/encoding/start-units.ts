import type { Vocabulary } from "./vocabulary.ts";

/**
 * Fills `into` with what the merging of a piece may start from, and returns how many units that is: bytes, or a whole
 * character where none of its own parts can merge with what stands beside it before the character is complete.
 */
export function startUnits(
  { byteIds, charIndex, chars }: Vocabulary,
  bytes: Uint8Array,
  start: number,
  stop: number,
  into: Int32Array,
): number {
  let count = 0;
  for (let at = start; at < stop; ) {
    const first = bytes[at]!;
    if (first < 0x80) {
      into[count++] = byteIds[first]!;
      at++;
      continue;
    }
    let width = 4;
    if (first < 0xf0) {
      width = first < 0xe0 ? 2 : 3;
      const second = bytes[at + 1]! & 0x3f;
      const codePoint =
        width === 2 ? ((first & 0x1f) << 6) | second : ((first & 0x0f) << 12) | (second << 6) | (bytes[at + 2]! & 0x3f);
      const entry = charIndex[codePoint]!;
      if (entry > 0) {
        const edges = chars[entry + 1]!;
        const before = at === start ? 0 : 0x10000 << (bytes[at - 1]! & 15);
        const after = at + width === stop ? 0 : 1 << (bytes[at + width]! & 15);
        if ((edges & (before | after)) === 0) {
          into[count++] = chars[entry]!;
          at += width;
          continue;
        }
      }
    }
    for (const end = at + width; at < end; at++) into[count++] = byteIds[bytes[at]!]!;
  }
  return count;
}
