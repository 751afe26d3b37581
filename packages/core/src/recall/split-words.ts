import { termOf } from "../text/terms-of.ts";

/** What of a text can be searched. */
export interface TextWords {
  /** Words of scripts that write spaces, in lower case; forms of one word have a stem in common. */
  readonly words: readonly string[];
  /** What the index holds of the text: the term of each word, and words and pairs of letters of scripts without spaces. */
  readonly terms: readonly string[];
}

// With their marks: without, a word in Hindi fell into single letters. At most so many letters at once: the engine notes
// each on its stack, which five million of them overflow.
const run = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,9998}/gu;
const unspaced = classOf("Han Hiragana Katakana Thai Lao Khmer Myanmar");
// Korean writes spaces, but between words with their particles on them, and segmenters split it nowhere else.
const paired = `${unspaced}\\p{scx=Hangul}`;
const isUnspaced = new RegExp(`[${unspaced}]`, "u");
const isPaired = new RegExp(`[${paired}]`, "u");
const pieces = new RegExp(`[${paired}]+|[^${paired}]+`, "gu");

/** Of one locale: that of the machine would find other words on another one. Small builds of engines have no segmenter. */
const segmenter = Intl.Segmenter === undefined ? undefined : new Intl.Segmenter("en", { granularity: "word" });
/** Before a segmented word, since it may be written like a pair. */
const segmented = "=";

/**
 * The words of a text of any language. Where a script writes no spaces, both the words that a segmenter finds and
 * overlapping pairs: it splits one phrase differently in different places, and pairs alone also match across words.
 */
export function splitWords(text: string): TextWords {
  const words: string[] = [];
  const terms: string[] = [];
  const whole = text.normalize("NFKC");
  const addWord = (found: string) => {
    const word = found.toLowerCase();
    words.push(word);
    terms.push(termOf(word));
  };
  for (const found of whole.match(run) ?? []) {
    if (!isPaired.test(found)) addWord(found);
    else for (const piece of found.match(pieces)!) isPaired.test(piece) ? addPairs(piece, terms) : addWord(piece);
  }
  if (segmenter !== undefined && isUnspaced.test(whole)) {
    for (const { segment, isWordLike } of segmenter.segment(whole)) {
      if (isWordLike && isUnspaced.test(segment)) terms.push(segmented + segment);
    }
  }
  return { words, terms };
}

function addPairs(piece: string, terms: string[]): void {
  let previous = "";
  for (const char of piece) {
    if (previous !== "") terms.push(previous + char);
    previous = char;
  }
  if (piece === previous) terms.push(piece);
}

function classOf(scripts: string): string {
  return scripts
    .split(" ")
    .map((script) => `\\p{scx=${script}}`)
    .join("");
}
