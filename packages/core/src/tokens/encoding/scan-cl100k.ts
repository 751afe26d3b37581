import { type CharFlags, charClass, flagsAt, widthOf } from "./char-flags.ts";
import { contractionEnd, letterEnd, numberEnd, punctuationEnd, spaceEnd, upToThreeNumbers } from "./run-ends.ts";

const { letter, newline, number, space, wide } = charClass;

/**
 * Where the piece that starts at `at` ends, by cl100k's rule: a contraction, letters (with one character before them
 * that is no letter, number or line break), up to three numbers, punctuation with what line breaks follow, or white
 * space.
 */
export function scanCl100k(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  const first = bytes[at]!;
  let flags = chars.ascii[first]!;
  if (flags === wide) flags = flagsAt(bytes, at, chars);
  if ((flags & letter) !== 0) return letterEnd(bytes, at, end, chars);
  if ((flags & number) !== 0) {
    return first < 0x80 ? upToThreeNumbers(bytes, at, end, chars) : numberEnd(bytes, at, end, 3, chars);
  }
  if (first === 0x27) {
    const contraction = contractionEnd(bytes, at, true);
    if (contraction > at) return contraction;
  }
  if ((flags & newline) === 0) {
    const next = at + widthOf(first);
    const letters = letterEnd(bytes, next, end, chars);
    if (letters > next) return letters;
    if ((flags & space) === 0 || first === 0x20) {
      const marks = punctuationEnd(bytes, next, end, chars);
      if (marks > next || (flags & space) === 0) return lineEnd(bytes, marks, end);
    }
  }
  return spaceEnd(bytes, at, end, true, chars);
}

function lineEnd(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && (bytes[at] === 0x0a || bytes[at] === 0x0d)) at++;
  return at;
}
