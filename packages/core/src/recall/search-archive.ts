import { asks } from "../text/asks.ts";
import type { Archive, ArchiveEntry, Posting } from "./build-archive.ts";
import { askedTerms } from "./read-question.ts";

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
/** A longer or shorter form counts this part: "camping" is answered by "campfire", "adoption" by "adopted". */
const formShare = 0.3;
const shortestForm = 4;
const mostTerms = 40;
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
  const asked = askedTerms(query);
  const forms = formsOf(archive, asked);
  for (const term of asked) {
    const list = withForms(archive.postings.get(term) ?? [], forms.get(term) ?? []);
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
 * Where words stand that begin with a term or that it begins with, by term; read off the index in one pass. Of a long
 * question only the first terms: with each of 5,000 looked up in a megabyte, one search took 20 seconds.
 */
function formsOf({ postings }: Archive, terms: Iterable<string>): ReadonlyMap<string, readonly (readonly Posting[])[]> {
  const byStart = new Map<string, string[]>();
  const forms = new Map<string, (readonly Posting[])[]>();
  for (const term of terms) {
    if (forms.size >= mostTerms) break;
    if (term.length < shortestForm || !/^\p{Script=Latin}+$/u.test(term)) continue;
    const start = term.slice(0, shortestForm);
    byStart.set(start, [...(byStart.get(start) ?? []), term]);
    forms.set(term, []);
  }
  for (const [other, list] of forms.size === 0 ? [] : postings) {
    if (other.length < shortestForm) continue;
    for (const term of byStart.get(other.slice(0, shortestForm)) ?? []) {
      if (other !== term && (other.startsWith(term) || term.startsWith(other))) forms.get(term)!.push(list);
    }
  }
  return forms;
}

function withForms(exact: readonly Posting[], forms: readonly (readonly Posting[])[]): readonly Posting[] {
  if (forms.length === 0) return exact;
  const counts = new Map(exact.map(({ entry, count }) => [entry, count]));
  for (const { entry, count } of forms.flat()) counts.set(entry, (counts.get(entry) ?? 0) + count * formShare);
  return [...counts].map(([entry, count]) => ({ entry, count }));
}
