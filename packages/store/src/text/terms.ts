/**
 * How a text is split for full-text search, computed here so that both databases find the same. Words are runs of
 * letters and digits, compared without case and, in European scripts, without accents. Scripts written without spaces
 * are split into overlapping pairs, plus the last character alone, so that any substring of two characters or more is a
 * phrase of pairs and any single character is the start of some term. Terms are plain ASCII (other characters as
 * `_hex_`), so that a database's own tokenizer leaves them alone.
 */
export interface Term {
  readonly term: string;
  /** Where the characters stand in the text, [start, end). */
  readonly start: number;
  readonly end: number;
  /** How many characters of an unspaced script it holds: 0 for a word, 1 or 2 otherwise. */
  readonly unspaced: 0 | 1 | 2;
}

const unspaced =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー";
const runs = new RegExp(`[${unspaced}]+|[[\\p{L}\\p{N}\\p{M}]--[${unspaced}]]+`, "gv");
const startsUnspaced = new RegExp(`^[${unspaced}]`, "v");
const accented = /[\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1fff]/;

/** Longer words (base64, hashes) are compared by their first characters only. */
const maxWordLength = 64;

export function* termsOf(text: string, options: { readonly tails?: boolean } = {}): Generator<Term> {
  for (const match of text.matchAll(runs)) {
    const run = match[0];
    const start = match.index;
    if (startsUnspaced.test(run)) yield* pairsOf(run, start, options.tails ?? true);
    else yield { term: encode(fold(run)), start, end: start + run.length, unspaced: 0 };
  }
}

function* pairsOf(run: string, start: number, tails: boolean): Generator<Term> {
  const characters = [...run];
  let offset = start;
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!;
    const next = characters[index + 1];
    if (next !== undefined) {
      const end = offset + character.length + next.length;
      yield { term: encode(fold(character + next)), start: offset, end, unspaced: 2 };
    } else if (tails || characters.length === 1) {
      yield { term: encode(fold(character)), start: offset, end: offset + character.length, unspaced: 1 };
    }
    offset += character.length;
  }
}

function fold(word: string): string {
  const plain = word.normalize("NFKC").toLowerCase().slice(0, maxWordLength);
  return accented.test(plain) ? plain.normalize("NFD").replace(/[\u0300-\u036f]/g, "") : plain;
}

function encode(word: string): string {
  return word.replace(/[^a-z0-9]/gu, (character) => `_${character.codePointAt(0)!.toString(16)}_`);
}
