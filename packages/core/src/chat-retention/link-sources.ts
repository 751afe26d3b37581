import { segmentsOf } from "../digest/segments-of.ts";
import type { Message } from "../message/message.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";

export interface SourceLink {
  /** Character range of the sentence within the summary. */
  readonly start: number;
  readonly end: number;
  /** Indices of the messages it most likely came from, best first. */
  readonly messages: readonly number[];
}

const mostSentences = 300;
const mostSources = 3;
const longestText = 20_000;

/**
 * Which messages each sentence of a summary came from, by the rare words they share. A sentence that shares no rare word
 * with any message gets no link: no link is better than a wrong one. Linear in the length of the messages.
 */
export function linkSources(summary: string, messages: readonly Message[]): readonly SourceLink[] {
  const holders = indexTerms(messages);
  return splitSentences(summary, 600)
    .slice(0, mostSentences)
    .flatMap(({ text, start }) => {
      const sources = sourcesOf(new Set(termsOf(text)), holders, messages.length);
      return sources.length === 0 ? [] : [{ start, end: start + text.length, messages: sources }];
    });
}

function indexTerms(messages: readonly Message[]): ReadonlyMap<string, readonly number[]> {
  const holders = new Map<string, number[]>();
  messages.forEach((message, index) => {
    const text = segmentsOf(message)
      .map((segment) => segment.text.slice(0, longestText))
      .join("\n");
    for (const term of new Set(termsOf(text))) {
      const list = holders.get(term);
      if (list === undefined) holders.set(term, [index]);
      else list.push(index);
    }
  });
  return holders;
}

function sourcesOf(
  terms: ReadonlySet<string>,
  holders: ReadonlyMap<string, readonly number[]>,
  total: number,
): readonly number[] {
  const scores = new Map<number, number>();
  let possible = 0;
  for (const term of terms) {
    const found = holders.get(term);
    // A word that most messages share says nothing about where a sentence came from.
    if (found === undefined || stopWords.has(term) || found.length > Math.max(2, total / 4)) continue;
    const rarity = Math.log(1 + total / found.length);
    possible += rarity;
    for (const index of found) scores.set(index, (scores.get(index) ?? 0) + rarity);
  }
  return [...scores]
    .filter(([, score]) => score >= possible * 0.3 && score > Math.log(3))
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, mostSources)
    .map(([index]) => index);
}
