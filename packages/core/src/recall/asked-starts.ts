import { termOf } from "../text/terms-of.ts";
import { guessLanguages } from "./guess-language.ts";
import { askedTerms } from "./read-question.ts";
import { splitWords } from "./split-words.ts";
import { stemsOf } from "./stemmers.ts";

/** With fewer letters, too large a part of all words begins so. */
const shortestStart = 4;

/**
 * What the words of a question begin with in all their forms, for a search elsewhere that finds words by their start.
 *
 * @example askedStarts("Dove sono i magazzini?").has("magazzin"); // true
 */
export function askedStarts(question: string): ReadonlySet<string> {
  const { words } = splitWords(question);
  const languages = guessLanguages(words);
  const byTerm = new Map(words.map((word) => [termOf(word), word]));
  const starts = [...askedTerms(question)].map((term) => {
    const stems = stemsOf(byTerm.get(term) ?? "", languages);
    const start = stems.reduce((shortest, { stem }) => sharedStart(shortest, stem), term);
    return start.length < shortestStart ? term : start;
  });
  return new Set(starts);
}

function sharedStart(term: string, stem: string): string {
  let length = 0;
  while (length < term.length && term[length] === stem[length]) length++;
  return term.slice(0, length);
}
