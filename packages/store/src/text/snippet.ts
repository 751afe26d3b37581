import type { Phrase } from "./search-query.ts";
import { type Term, termsOf } from "./terms.ts";

export interface Snippet {
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
}

const length = 240;
const lead = 60;
/** Only this much of a text is searched for the highlight; whether it is a hit does not depend on it. */
const maxScanned = 200_000;

/** An excerpt round the first match, with the places of all matches in it. */
export function toSnippet(text: string, phrases: readonly Phrase[]): Snippet {
  const matches = [...matchesOf(text.slice(0, maxScanned), phrases)];
  const from = wordStart(text, Math.max(0, (matches[0]?.[0] ?? 0) - lead));
  const to = Math.min(text.length, from + length);
  const cut = text.slice(from, to).toWellFormed();
  const before = from > 0 ? "…" : "";
  const highlights = matches
    .filter(([start, end]) => start >= from && end <= to)
    .map(([start, end]) => [start - from + before.length, end - from + before.length] as const);
  return { snippet: `${before}${cut}${to < text.length ? "…" : ""}`, highlights: merge(highlights) };
}

function* matchesOf(text: string, phrases: readonly Phrase[]): Generator<readonly [number, number]> {
  const terms = [...termsOf(text)];
  for (let at = 0; at < terms.length; at++) {
    for (const phrase of phrases) {
      if (!standsAt(terms, at, phrase)) continue;
      yield [terms[at]!.start, terms[at + phrase.terms.length - 1]!.end];
    }
  }
}

function standsAt(terms: readonly Term[], at: number, { terms: wanted, open }: Phrase): boolean {
  return wanted.every((term, index) => {
    const found = terms[at + index]?.term;
    return open && index === wanted.length - 1 ? found?.startsWith(term) : found === term;
  });
}

/** Neighbouring or overlapping places as one. */
function merge(places: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const merged: [number, number][] = [];
  for (const [start, end] of [...places].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** The start of the word that `at` falls into, unless the word is very long. */
function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.lastIndexOf(" ", at);
  return space >= 0 && at - space < 20 ? space + 1 : at;
}
