import { type Term, termsOf } from "./terms.ts";

/** Terms that must stand side by side. With `open`, the last one may also be the start of a longer word. */
export interface Phrase {
  readonly terms: readonly string[];
  readonly open: boolean;
  /** The last term is half of a pair: it only finds something if the phrase stays open. */
  readonly half: boolean;
}

const maxPhrases = 16;
/** With two letters, too large a part of the vocabulary would match. */
const minOpenLength = 3;

/** What a person typed, as phrases that must all occur. Empty when there is nothing to look for. */
export function parseSearchQuery(query: string): readonly Phrase[] {
  const phrases: Phrase[] = [];
  for (const match of query.matchAll(/"([^"]*)"?|[^\s"]+/g)) {
    const quoted = match[1];
    for (const terms of phrasesOf(quoted ?? match[0])) {
      const last = terms.at(-1)!;
      // A single character of a script without spaces is no term of its own inside a text, only the start of a pair.
      const half = last.unspaced === 1;
      const open = half || (quoted === undefined && last.unspaced === 0 && last.term.length >= minOpenLength);
      phrases.push({ terms: terms.map(({ term }) => term), open, half });
    }
  }
  return phrases.slice(0, maxPhrases);
}

/**
 * Split where a run without spaces ends: the index has its last character alone there, so a phrase across it would not
 * match.
 */
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
