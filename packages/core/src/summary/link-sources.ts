import { daysAround, withoutDate } from "../digest/dates.ts";
import { sectionTitles } from "../digest/lines.ts";
import { segmentsOf } from "../digest/segments-of.ts";
import { stateKinds } from "../digest/state.ts";
import type { Message } from "../message/message.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";
import { inventedMark } from "./mark-invented.ts";

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

/** A sentence of a summary, as a range of its characters. */
export interface SentenceRange {
  readonly start: number;
  readonly end: number;
}

export interface SourceCheck {
  readonly links: readonly SourceLink[];
  /** Sentences that say something the messages do not: a number or a name of their own, or mostly other words. */
  readonly invented: readonly SentenceRange[];
}

/** Of the words that carry a sentence, the share one message must have to be its source. */
const sourceShare = 0.5;
/** Below this share of its words in all messages together, a sentence is somebody's own. */
const knownShare = 0.34;
/** Shorter sentences are headings and phrases: too little to judge by. */
const fewestTerms = 3;

/**
 * Which messages each sentence of a summary came from, by the words they share. A sentence gets a link only to a message
 * that has half of what carries it, and every number in it: no link is better than a wrong one. Linear in the length of
 * the messages.
 *
 * @example for (const { start, end, messages: from } of linkSources(summary, messages)) console.log(start, end, from);
 */
export function linkSources(summary: string, messages: readonly Message[]): readonly SourceLink[] {
  return checkSources(summary, messages).links;
}

/**
 * The same, with the sentences that nobody said: neither in the messages nor in `others`, such as the summary before and the
 * messages that stay.
 *
 * @example const { links, invented } = checkSources("Mia wants a red bicycle.", messages);
 */
export function checkSources(
  summary: string,
  messages: readonly Message[],
  others: readonly Message[] = [],
): SourceCheck {
  const holders = indexTerms(messages);
  const known = new Set([...holders.keys(), ...indexTerms(others).keys()]);
  const links: SourceLink[] = [];
  const invented: SentenceRange[] = [];
  for (const { text, start } of splitSentences(summary, 600).slice(0, mostSentences)) {
    if (isHeading(summary, start) || titles.has(text)) continue;
    const range = { start, end: start + text.length };
    const terms = new Set(termsOf(withoutDate(text.replace(label, ""))).filter((term) => !stopWords.has(term)));
    const sources = sourcesOf(terms, holders, messages.length);
    if (text.includes(inventedMark)) invented.push(range);
    else if (sources.length > 0) links.push({ ...range, messages: sources });
    else if (isInvented(terms, known)) invented.push(range);
  }
  return { links, invented };
}

/** What Midfold itself writes above and before an entry; nobody in the conversation said it. */
const titles = new Set<string>(Object.values(sectionTitles));
const label = new RegExp(`^(?:- )?(?:${stateKinds.join("|")}): `);

/** A Markdown heading is the summary's own, whoever wrote it. */
function isHeading(summary: string, start: number): boolean {
  const line = summary.slice(summary.lastIndexOf("\n", start - 1) + 1, start + 1);
  return line.startsWith("#");
}

const hasDigit = /\p{N}/u;

function isInvented(terms: ReadonlySet<string>, known: ReadonlySet<string>): boolean {
  if (terms.size < fewestTerms) return false;
  const unknown = [...terms].filter((term) => !known.has(term));
  return unknown.some((term) => hasDigit.test(term)) || terms.size - unknown.length < terms.size * knownShare;
}

function indexTerms(messages: readonly Message[]): ReadonlyMap<string, readonly number[]> {
  const holders = new Map<string, number[]>();
  messages.forEach((message, index) => {
    const text = segmentsOf(message)
      .map((segment) => segment.text.slice(0, longestText))
      .join("\n");
    // A summary may say the day where the message says "yesterday".
    const dates = message.at === undefined ? "" : daysAround(message.at).join(" ");
    for (const term of new Set(termsOf(`${text} ${dates}`))) {
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
  const numbers: (readonly number[])[] = [];
  let possible = 0;
  for (const term of terms) {
    const found = holders.get(term) ?? [];
    if (hasDigit.test(term)) numbers.push(found);
    // A word that most messages share says nothing about where a sentence came from.
    if (found.length > Math.max(2, total / 4)) continue;
    // One that no message has speaks against all of them.
    const rarity = Math.log(1 + total / Math.max(1, found.length));
    possible += rarity;
    for (const index of found) scores.set(index, (scores.get(index) ?? 0) + rarity);
  }
  return [...scores]
    .filter(([, score]) => score >= possible * sourceShare && score > Math.log(3))
    .filter(([index]) => numbers.every((holding) => holding.includes(index)))
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, mostSources)
    .map(([index]) => index);
}
