import { stopWords } from "../text/stop-words.ts";
import { termOf } from "../text/terms-of.ts";
import type { Archive } from "./build-archive.ts";
import { splitWords } from "./split-words.ts";
import { formsOf } from "./stem-index.ts";

/** One word of a question: how much each term of it counts, first the one it is written with. */
export type AskedWord = ReadonlyMap<string, number>;

/** A form with the same stem counts this part, so that the word as it was asked for comes first. */
const sameStemShare = 0.7;

/** The words of a question that a search goes by, each once, with their other forms in the archive. */
export function askedWords({ stems }: Archive, question: string): readonly AskedWord[] {
  const asked: Map<string, number>[] = [];
  const byTerm = new Map<string, Map<string, number>>();
  const add = (term: string, forms: readonly string[]) => {
    const known = byTerm.get(term);
    // Two forms of one word in a question are one word: counted twice, it would outweigh the others.
    if (known !== undefined) known.set(term, 1);
    if (known !== undefined || stopWords.has(term)) return;
    const word = new Map([[term, 1]]);
    asked.push(word);
    byTerm.set(term, word);
    for (const form of forms) {
      if (byTerm.has(form) || stopWords.has(form)) continue;
      word.set(form, sameStemShare);
      byTerm.set(form, word);
    }
  };
  const { words, terms } = splitWords(question);
  for (const word of new Set(words)) add(termOf(word), formsOf(word, stems));
  for (const term of terms) add(term, []);
  return asked;
}
