import { buildVocabulary, hole } from "./build-vocabulary.ts";
import { BytePairEncoding } from "./byte-pair-encoding.ts";
import { type CharFlags, charClass, charFlags, flagsAt, widthOf } from "./char-flags.ts";
import type { EncodingName } from "./encoding.ts";
import { finish, finishWithPauses, nextTurn, type Pause } from "./finish.ts";
import { unpackNumbers } from "./packed-numbers.ts";
import type { Scan } from "./piece-counter.ts";
import { contractionEnd, letterEnd, numberEnd, punctuationEnd, spaceEnd, upToThreeNumbers } from "./run-ends.ts";
import { cl100kPairs } from "./tables/cl100k-pairs.gen.js";
import { o200kPairs } from "./tables/o200k-pairs.gen.js";
import { r50kPairs } from "./tables/r50k-pairs.gen.js";
import type { Vocabulary } from "./vocabulary.ts";

const scans: Readonly<Record<EncodingName, Scan>> = {
  o200k_base: scanO200k,
  cl100k_base: scanCl100k,
  p50k_base: scanR50k,
  r50k_base: scanR50k,
};

const loaded = new Map<EncodingName, BytePairEncoding>();

/** The encoding of that name; its tables are built at the first call, in some tens of milliseconds, and kept. */
export function getEncoding(name: EncodingName): BytePairEncoding {
  return loaded.get(name) ?? adoptVocabulary(name, finish(buildVocabulary(pairsOf(name))));
}

const loading = new Map<EncodingName, Promise<BytePairEncoding>>();

/** As `getEncoding`, building in steps with a pause after each, so that the thread is never held for long. */
export function loadEncoding(name: EncodingName, pause: Pause = nextTurn): Promise<BytePairEncoding> {
  const known = loaded.get(name);
  if (known !== undefined) return Promise.resolve(known);
  let promise = loading.get(name);
  if (promise === undefined) {
    promise = finishWithPauses(buildVocabulary(pairsOf(name)), pause)
      // Somebody who could not wait may have built it meanwhile.
      .then((vocabulary) => loaded.get(name) ?? adoptVocabulary(name, vocabulary))
      .finally(() => loading.delete(name));
    loading.set(name, promise);
  }
  return promise;
}

/** Uses tables that another thread has built. */
export function adoptVocabulary(name: EncodingName, vocabulary: Vocabulary): BytePairEncoding {
  const encoding = new BytePairEncoding({ name, vocabulary, scan: scans[name], chars: charFlags() });
  loaded.set(name, encoding);
  return encoding;
}

/** The tables built so far. */
export function builtVocabularies(): ReadonlyMap<EncodingName, Vocabulary> {
  return new Map(Array.from(loaded, ([name, { vocabulary }]) => [name, vocabulary]));
}

function pairsOf(name: EncodingName): Int32Array {
  switch (name) {
    case "o200k_base":
      return unpackNumbers(o200kPairs);
    case "cl100k_base":
      return unpackNumbers(cl100kPairs);
    case "r50k_base":
      return unpackNumbers(r50kPairs);
    case "p50k_base":
      return withSpaces(unpackNumbers(r50kPairs));
  }
}

/** p50k is r50k, a hole where <|endoftext|> stands, and runs of 2 to 25 spaces. */
function withSpaces(r50k: Int32Array): Int32Array {
  const oneSpace = 220;
  const firstRun = 50_257;
  const idOf = (length: number) => (length === 1 ? oneSpace : firstRun + length - 2);
  const numbers = new Int32Array(r50k.length + 2 * 25);
  numbers.set(r50k);
  numbers.fill(hole, r50k.length, r50k.length + 2);
  for (let length = 2, at = r50k.length + 2; length <= 25; length++, at += 2) {
    const first = splitOf(length);
    numbers[at] = idOf(first);
    numbers[at + 1] = idOf(length - first);
  }
  return numbers;
}

/** How long the left part of a run of spaces is: merging doubles from the left as long as half as much is left over. */
function splitOf(length: number): number {
  let first = 1;
  while (length >= first * 3) first *= 2;
  return first;
}

const { closes, letter, newline, number, opens, space, wide } = charClass;

/**
 * Where the piece that starts at `at` ends, by cl100k's rule: a contraction, letters (with one character before them
 * that is no letter, number or line break), up to three numbers, punctuation with what line breaks follow, or white
 * space.
 */
function scanCl100k(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
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

/**
 * Where the piece that starts at `at` ends, by o200k's rule: a word (one character before it that is no letter, number
 * or line break; capitals, then small letters; a contraction), up to three numbers, punctuation with what line breaks
 * and slashes follow, or white space.
 */
function scanO200k(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
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

/**
 * Where the piece that starts at `at` ends, by the rule of r50k and p50k: a contraction, or letters, numbers or
 * punctuation with one space before them, or white space.
 */
function scanR50k(bytes: Uint8Array, at: number, end: number, chars: CharFlags): number {
  const contraction = contractionEnd(bytes, at, false);
  if (contraction > at) return contraction;
  const start = bytes[at] === 0x20 && at + 1 < end ? at + 1 : at;
  const flags = flagsAt(bytes, start, chars);
  if ((flags & letter) !== 0) return letterEnd(bytes, start, end, chars);
  if ((flags & number) !== 0) return numberEnd(bytes, start, end, Number.MAX_SAFE_INTEGER, chars);
  if ((flags & space) === 0) return punctuationEnd(bytes, start, end, chars);
  return spaceEnd(bytes, at, end, false, chars);
}
