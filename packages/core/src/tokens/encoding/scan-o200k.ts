import { type CharFlags, charClass, flagsAt, widthOf } from "./char-flags.ts";
import { contractionEnd, numberEnd, punctuationEnd, spaceEnd, upToThreeNumbers } from "./run-ends.ts";

const { closes, letter, newline, number, opens, space, wide } = charClass;

/**
 * Where the piece that starts at `at` ends, by o200k's rule: a word (one character before it that is no letter, number
 * or line break; capitals, then small letters; a contraction), up to three numbers, punctuation with what line breaks
 * and slashes follow, or white space.
 */
export function scanO200k(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  const { ascii } = chars;
  const flags = ascii[bytes[at]!]!;
  if ((flags & (letter | wide)) !== 0) {
    return flags === wide ? scanWide(bytes, at, end, chars) : wordEnd(bytes, at, end, chars);
  }
  if ((flags & number) !== 0) return upToThreeNumbers(bytes, at, end, chars);
  if ((flags & newline) === 0) {
    const next = ascii[bytes[at + 1]!]!;
    if ((next & letter) !== 0) return wordEnd(bytes, at + 1, end, chars);
    if (next === wide) {
      const word = wordEnd(bytes, at + 1, end, chars);
      if (word > at + 1) return word;
    }
    if (flags === 0) return punctuationPiece(bytes, at, end, chars);
    if (bytes[at] === 0x20 && at + 1 < end) {
      const after = punctuationEnd(bytes, at + 1, end, chars);
      if (after > at + 1) return lineAndSlashEnd(bytes, after, end);
    }
  }
  return spaceEnd(bytes, at, end, true, chars);
}

/** A piece that starts with a character beyond ASCII. */
function scanWide(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  const flags = flagsAt(bytes, at, chars);
  if ((flags & letter) !== 0) return wordEnd(bytes, at, end, chars);
  if ((flags & number) !== 0) return numberEnd(bytes, at, end, 3, chars);
  const next = at + widthOf(bytes[at]!);
  const word = wordEnd(bytes, next, end, chars);
  if ((flags & closes) !== 0) {
    // A mark may stand before a word or be one: it is the prefix only of a word that has an ending.
    return word > next && hasEnding(bytes, next, word, chars) ? word : contractionEnd(bytes, next, true);
  }
  if (word > next) return word;
  if ((flags & space) !== 0) return spaceEnd(bytes, at, end, true, chars);
  return punctuationPiece(bytes, at, end, chars);
}

const punctuationPiece = (bytes: Uint8Array, at: number, end: number, chars: CharFlags) =>
  lineAndSlashEnd(bytes, punctuationEnd(bytes, at, end, chars), end);

function lineAndSlashEnd(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && (bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x2f)) at++;
  return at;
}

/** The end of the word at `at` with its contraction, or `at` where there is none. */
function wordEnd(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  const { ascii } = chars;
  let stop = at;
  while (ascii[bytes[stop]!] === (opens | letter)) stop++;
  while (ascii[bytes[stop]!] === (closes | letter)) stop++;
  if (ascii[bytes[stop]!] === wide) stop = wideWordEnd(bytes, at, end, chars);
  return stop > at && bytes[stop] === 0x27 ? contractionEnd(bytes, stop, true) : stop;
}

function wideWordEnd(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  const { ascii, plane0 } = chars;
  let stop = at;
  let afterBoth = -1;
  let wanted: number = opens;
  // Decoded in place: this loop is where text in other scripts spends its time.
  while (stop < end) {
    const first = bytes[stop]!;
    let flags = ascii[first]!;
    let width = 1;
    if (first >= 0x80) {
      if (first < 0xe0) {
        flags = plane0[((first & 0x1f) << 6) | (bytes[stop + 1]! & 0x3f)]!;
        width = 2;
      } else if (first < 0xf0) {
        flags = plane0[((first & 0x0f) << 12) | ((bytes[stop + 1]! & 0x3f) << 6) | (bytes[stop + 2]! & 0x3f)]!;
        width = 3;
      } else {
        flags = flagsAt(bytes, stop, chars);
        width = 4;
      }
    }
    if ((flags & wanted) === 0) {
      if (wanted === closes || (flags & closes) === 0) break;
      // The first small letter: from here on only what may end a word.
      wanted = closes;
      afterBoth = end;
    }
    stop += width;
    if (wanted === opens && (flags & closes) !== 0) afterBoth = stop;
  }
  if (wanted === closes) return stop;
  return afterBoth >= 0 ? afterBoth : stop;
}

const hasEnding = (bytes: Uint8Array, at: number, stop: number, chars: CharFlags) => {
  for (let i = at; i < stop; i += widthOf(bytes[i]!)) if ((flagsAt(bytes, i, chars) & closes) !== 0) return true;
  return false;
};
