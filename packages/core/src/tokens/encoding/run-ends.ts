// Where runs of one class of characters end. `bytes` is well-formed UTF-8 and holds a NUL at `end`.
import { type CharFlags, charClass, flagsAt, widthOf } from "./char-flags.ts";

const { letter, newline, number, space, wide } = charClass;

const notPunctuation = letter | number | space;

/** The end of a run of anything but letters, numbers and white space. */
export function punctuationEnd(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  while (at < end) {
    const first = bytes[at]!;
    let flags = chars.ascii[first]!;
    if (flags === 0) {
      at++;
      continue;
    }
    if (flags !== wide) break;
    flags = flagsAt(bytes, at, chars);
    if ((flags & notPunctuation) !== 0) break;
    at += widthOf(first);
  }
  return at;
}

/** The end of a run of letters of any case. */
export function letterEnd(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  while (at < end) {
    const first = bytes[at]!;
    let flags = chars.ascii[first]!;
    if ((flags & letter) !== 0) {
      at++;
      continue;
    }
    if (flags !== wide) break;
    flags = flagsAt(bytes, at, chars);
    if ((flags & letter) === 0) break;
    at += widthOf(first);
  }
  return at;
}

/** The end of at most `most` numbers. */
export function numberEnd(bytes: Uint8Array, at: number, end: number, most: number, chars: CharFlags): number {
  for (let count = 0; count < most && at < end; count++) {
    if ((flagsAt(bytes, at, chars) & number) === 0) break;
    at += widthOf(bytes[at]!);
  }
  return at;
}

/** The end of one to three numbers, the first of which is an ASCII digit. */
export function upToThreeNumbers(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  const second = chars.ascii[bytes[at + 1]!]!;
  if ((second & (number | wide)) === 0) return at + 1;
  const third = chars.ascii[bytes[at + 2]!]!;
  if (((second | third) & wide) !== 0) return numberEnd(bytes, at, end, 3, chars);
  return (third & number) === 0 ? at + 2 : at + 3;
}

/**
 * The end of the piece that white space at `at` starts: up to the last line break of the run if `lines` and there is
 * one; else the run without its last character, which goes with what follows; all of it at the end of the text.
 */
export function spaceEnd(bytes: Uint8Array, at: number, end: number, lines: boolean, chars: CharFlags): number {
  let stop = at;
  let last = at;
  let afterLine = -1;
  while (stop < end) {
    const first = bytes[stop]!;
    let flags = chars.ascii[first]!;
    if (flags === wide) flags = flagsAt(bytes, stop, chars);
    if ((flags & space) === 0) break;
    last = stop;
    stop += widthOf(first);
    if ((flags & newline) !== 0) afterLine = stop;
  }
  if (lines && afterLine >= 0) return afterLine;
  return stop === end || last === at ? stop : last;
}

/**
 * The end of an English contraction ('s 't 're 've 'm 'll 'd) at `at`, or `at`. With `anyCase` also in capitals, and
 * with the long s, which Unicode folds to s.
 */
export function contractionEnd(bytes: Uint8Array, at: number, anyCase: boolean): number {
  if (bytes[at] !== 0x27) return at;
  const fold = anyCase ? 0x20 : 0;
  const first = bytes[at + 1]! | fold;
  switch (first) {
    case 0x73:
    case 0x74:
    case 0x6d:
    case 0x64:
      return at + 2;
    case 0x72:
    case 0x76:
      return (bytes[at + 2]! | fold) === 0x65 ? at + 3 : at;
    case 0x6c:
      return (bytes[at + 2]! | fold) === 0x6c ? at + 3 : at;
    default:
      return anyCase && bytes[at + 1] === 0xc5 && bytes[at + 2] === 0xbf ? at + 3 : at;
  }
}
