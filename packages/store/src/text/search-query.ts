import { type Term, termsOf } from "./terms.ts";

/** Terms that must stand side by side. With `open`, the last one need only be the start of a word. */
export interface Phrase {
  readonly terms: readonly string[];
  readonly open: boolean;
}

const maxPhrases = 16;

/** What a person typed, as phrases that must all occur. Empty when there is nothing to look for. */
export function parseSearchQuery(query: string): readonly Phrase[] {
  const phrases: Phrase[] = [];
  for (const match of query.matchAll(/"([^"]*)"?|[^\s"]+/g)) {
    const quoted = match[1];
    for (const terms of phrasesOf(quoted ?? match[0])) {
      // A single character of an unspaced script is not a term in the middle of a text, only the start of a pair.
      const open = quoted === undefined || terms.at(-1)!.unspaced === 1;
      phrases.push({ terms: terms.map(({ term }) => term), open });
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
