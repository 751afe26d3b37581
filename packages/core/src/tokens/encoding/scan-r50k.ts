import { type CharFlags, charClass, flagsAt } from "./char-flags.ts";
import { contractionEnd, letterEnd, numberEnd, punctuationEnd, spaceEnd } from "./run-ends.ts";

const { letter, number, space } = charClass;

/**
 * Where the piece that starts at `at` ends, by the rule of r50k and p50k: a contraction, or letters, numbers or
 * punctuation with one space before them, or white space.
 */
export function scanR50k(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  const contraction = contractionEnd(bytes, at, false);
  if (contraction > at) return contraction;
  const start = bytes[at] === 0x20 && at + 1 < end ? at + 1 : at;
  const flags = flagsAt(bytes, start, chars);
  if ((flags & letter) !== 0) return letterEnd(bytes, start, end, chars);
  if ((flags & number) !== 0) return numberEnd(bytes, start, end, Number.MAX_SAFE_INTEGER, chars);
  if ((flags & space) === 0) return punctuationEnd(bytes, start, end, chars);
  return spaceEnd(bytes, at, end, false, chars);
}
