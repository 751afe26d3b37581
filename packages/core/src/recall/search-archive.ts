import { asks } from "../text/asks.ts";
import { type AskedWord, askedWords } from "./asked-words.ts";
import type { Archive, ArchiveEntry, Posting } from "./build-archive.ts";

export interface SearchArchiveOptions {
  readonly limit?: number;
}

export interface SearchHit {
  readonly entry: ArchiveEntry;
  readonly score: number;
}

/** BM25 as usual, and what measurably helps in conversations: a turn is worth more beside a turn that matches. */
const k1 = 1.2;
const b = 0.7;
const neighbourShare = 0.5;
/** The answer to a question is the message after it, and often says none of its words. */
const answerShare = 0.8;
const secondNeighbourShare = 0.3;
/** A word that begins with the same letters counts this part: "camping" is answered by "campfire". */
const startShare = 0.3;
const shortestStart = 4;
const mostStarts = 40;
/** In a transcript who is asked about mostly tells it: what they sign counts this much more. */
const signedBonus = 1.3;
const signature = /^(\p{Lu}\p{L}{1,30}): /u;
/** What matches this much less than the best hit shares an everyday word with the question and nothing else. */
const leastShare = 0.2;

/**
 * The messages that bear most on the query, best first; ties by age. Deterministic.
 *
 * @example const [best] = searchArchive(buildArchive(folded), "which port?", { limit: 3 });
 */
export function searchArchive(archive: Archive, query: string, options: SearchArchiveOptions = {}): SearchHit[] {
  const scores = scoreEntries(archive, query);
  const hits: SearchHit[] = [];
  archive.entries.forEach((entry, index) => {
    const own = scores[index]!;
    const before = scores[index - 1] ?? 0;
    // Only where it matched: reading every message for a question mark would cost more than the search.
    const share = before > 0 && asks(archive.entries[index - 1]!.text) ? answerShare : neighbourShare;
    const beside = Math.max(before * share, (scores[index + 1] ?? 0) * neighbourShare);
    const near = Math.max(scores[index - 2] ?? 0, scores[index + 2] ?? 0) * secondNeighbourShare;
    const score = own + beside + near;
    if (score > 0) hits.push({ entry, score });
  });
  hits.sort((x, y) => y.score - x.score || x.entry.message - y.entry.message);
  const least = (hits[0]?.score ?? 0) * leastShare;
  return hits.slice(0, options.limit ?? 10).filter(({ score }) => score >= least);
}

function scoreEntries(archive: Archive, query: string): Float64Array {
  const scores = new Float64Array(archive.entries.length);
  const total = archive.entries.length;
  const asked = askedWords(archive, query);
  const relatives = relativesOf(archive, asked);
  for (const word of asked) {
    const list = gather(archive, word, relatives.get(word) ?? []);
    const rarity = Math.log(1 + (total - list.length + 0.5) / (list.length + 0.5));
    for (const { entry, count } of list) {
      const relative = archive.entries[entry]!.length / (archive.meanLength || 1);
      scores[entry]! += (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + b * relative));
    }
  }
  archive.entries.forEach(({ text }, index) => {
    const name = scores[index] === 0 ? undefined : signature.exec(text)?.[1];
    if (name !== undefined && query.includes(name)) scores[index]! *= signedBonus;
  });
  return scores;
}

/**
 * The terms that begin with a word or that it begins with, read off the index in one pass. Of a long question only for the
 * first words: with each of 5,000 looked up in a megabyte, one search took 20 seconds.
 */
function relativesOf({ postings }: Archive, asked: readonly AskedWord[]): ReadonlyMap<AskedWord, readonly string[]> {
  const byStart = new Map<string, AskedWord[]>();
  const relatives = new Map<AskedWord, string[]>();
  for (const word of asked) {
    if (relatives.size >= mostStarts) break;
    const term = ownTerm(word);
    if (term.length < shortestStart || !/^\p{L}+$/u.test(term)) continue;
    const start = term.slice(0, shortestStart);
    byStart.set(start, [...(byStart.get(start) ?? []), word]);
    relatives.set(word, []);
  }
  for (const other of relatives.size === 0 ? [] : postings.keys()) {
    if (other.length < shortestStart) continue;
    for (const word of byStart.get(other.slice(0, shortestStart)) ?? []) {
      const term = ownTerm(word);
      if (!word.has(other) && (other.startsWith(term) || term.startsWith(other))) relatives.get(word)!.push(other);
    }
  }
  return relatives;
}

function ownTerm(word: AskedWord): string {
  return word.keys().next().value!;
}

/** Where a word stands in any form, and how often. */
function gather({ postings }: Archive, word: AskedWord, relatives: readonly string[]): readonly Posting[] {
  if (word.size === 1 && relatives.length === 0) return postings.get(ownTerm(word)) ?? [];
  const counts = new Map<number, number>();
  const add = (term: string, share: number) => {
    for (const { entry, count } of postings.get(term) ?? [])
      counts.set(entry, (counts.get(entry) ?? 0) + count * share);
  };
  for (const [term, share] of word) add(term, share);
  for (const term of relatives) add(term, startShare);
  return [...counts].map(([entry, count]) => ({ entry, count }));
}
