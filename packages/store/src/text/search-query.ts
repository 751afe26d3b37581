import { type Term, termsOf } from "./terms.ts";

/** Terms that must stand side by side. With `open`, the last one need only be the start of a word. */
export interface Phrase {
  readonly terms: readonly string[];
  readonly open: boolean;
  /** The last term is half of a pair, so there is nothing to find unless the phrase stays open. */
  readonly half: boolean;
}

const maxPhrases = 16;
/** Half the vocabulary starts with two given letters. */
const minOpenLength = 3;

/** What a person typed, as phrases that must all occur. Empty when there is nothing to look for. */
export function parseSearchQuery(query: string): readonly Phrase[] {
  const phrases: Phrase[] = [];
  for (const match of query.matchAll(/"([^"]*)"?|[^\s"]+/g)) {
    const quoted = match[1];
    for (const terms of phrasesOf(quoted ?? match[0])) {
      const last = terms.at(-1)!;
      // A single character of an unspaced script is not a term in the middle of a text, only the start of a pair.
      const half = last.unspaced === 1;
      const open = half || (quoted === undefined && last.unspaced === 0 && last.term.length >= minOpenLength);
      phrases.push({ terms: terms.map(({ term }) => term), open, half });
    }
  }
  return phrases.slice(0, maxPhrases);
}

/** Cut where an unspaced run ends: the index holds its last character alone there, which a phrase would stumble over. */
function phrasesOf(text: string): Term[][] {
  const phrases: Term[][] = [];
  let last: Term | undefined;
  for (const term of termsOf(text, { tails: false })) {
    const continues = last !== undefined && (last.unspaced === 0 || term.start < last.end);
    if (continues) phrases.at(-1)!.push(term);
    else phrases.push([term]);
    last = term;
  }
  return phrases;
}
