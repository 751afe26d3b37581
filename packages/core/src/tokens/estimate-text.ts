/**
 * Tokens of a text without any table, on the safe side. Characters ÷ 4 undercounts JSON and identifiers twofold and
 * Chinese threefold, because what a byte-pair table shortens is words: so this walks the text as runs (a word, digits,
 * punctuation, one script) and prices each run by what the large tables really make of it.
 */
export function estimateText(text: string): number {
  let tokens = 0;
  let run = 0;
  let kind = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const next = unit < 0x80 ? asciiKind(unit) : wideKind(unit);
    if (next === kind) {
      run++;
      continue;
    }
    const startsWord = kind === capitals && next === letters;
    // The last capital belongs to the word that follows it.
    tokens += price(kind, startsWord ? run - 1 : run);
    kind = next;
    run = startsWord ? 2 : 1;
  }
  return tokens + price(kind, run);
}

const space = 1;
const letters = 2;
const digits = 3;
const marks = 4;
const lines = 5;
const accented = 6;
const otherScript = 7;
const ideographs = 8;
const pictures = 9;
const capitals = 10;

function asciiKind(unit: number): number {
  if (unit >= 97 && unit <= 122) return letters;
  if (unit >= 65 && unit <= 90) return capitals;
  if (unit === 32) return space;
  if (unit >= 48 && unit <= 57) return digits;
  if (unit === 10 || unit === 13) return lines;
  return unit < 32 ? pictures : marks;
}

function wideKind(unit: number): number {
  if (unit < 0x250) return accented;
  if (unit >= 0x370 && unit < 0x530) return accented;
  if (unit >= 0x2e80 && unit < 0xd7b0) return ideographs;
  if (unit >= 0xf900 && unit < 0xfb00) return ideographs;
  if (unit >= 0xff00 && unit < 0xfff0) return ideographs;
  if (unit >= 0x2000 && unit < 0x2100) return marks;
  return unit >= 0xd800 && unit < 0xe000 ? pictures : unit >= 0x2100 && unit < 0x2e80 ? pictures : otherScript;
}

function price(kind: number, run: number): number {
  switch (kind) {
    case letters:
      // Common words are one token; what is longer than any common word is cut about every three letters.
      return run <= 8 ? 1 : run <= 16 ? 2 : run / 3;
    case capitals:
      return run <= 3 ? Math.min(run, 1) : run / 2.5;
    case digits:
      return Math.ceil(run / 3);
    case marks:
      return Math.ceil(run / 2);
    case space:
      return run === 1 ? 0 : 1 + run / 64;
    case lines:
      return 1 + run / 16;
    case accented:
      return 0.5 + run / 3;
    case otherScript:
      return 0.5 + run / 1.6;
    case ideographs:
      return run * 1.15;
    case pictures:
      return run * 1.3;
    default:
      return 0;
  }
}
