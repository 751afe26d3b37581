import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";

/** Tokens that excerpts take: less holds none worth reading, more is seldom read. */
export const excerptTokens = { least: 64, most: 3000 } as const;
/** Who asks nothing may still mean something said long ago; it gets this part of the room. */
export const unaskedShare = 0.15;

/**
 * The words of a question that a search goes by, each once, as `termsOf` writes them.
 *
 * @example askedTerms("Which date did we agree on?").has("date"); // true
 */
export function askedTerms(question: string): ReadonlySet<string> {
  return new Set(termsOf(question).filter((term) => !stopWords.has(term)));
}
