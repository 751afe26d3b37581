import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";

/**
 * Whether somebody wants to know something.
 *
 * @example asks("Which date did we agree on?"); // true
 */
export function asks(text: string): boolean {
  return /[?？؟]/.test(text);
}

/**
 * The words of a question that a search goes by, each once, as `termsOf` writes them.
 *
 * @example askedTerms("Which date did we agree on?").has("date"); // true
 */
export function askedTerms(question: string): ReadonlySet<string> {
  return new Set(termsOf(question).filter((term) => !stopWords.has(term)));
}
