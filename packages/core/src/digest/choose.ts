import { estimateText } from "../tokens/estimate-text.ts";
import { type Clause, textLead } from "./clauses.ts";
import type { FoundFact } from "./find-facts.ts";
import { oneLine } from "./lines.ts";
import type { Source } from "./sources.ts";

/** A piece of one source that a digest quotes word for word. */
export interface Piece {
  readonly source: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The use of what it tells. */
  readonly value: number;
}

/** So many characters further back a quotation of JSON begins with a whole key; the second where lines are quoted whole. */
const nearKey = 24;
const farKey = 80;
const separatorCost = 1.5;
/** Characters before a value that say what it is. */
const leftChars = 20;
/** How many facts back a quotation may reach to go on from. */
const lookBack = 8;
const farApart = 160;
/** A call or result this short is quoted whole or not at all; the second where lines are quoted whole. */
const shortSource = 90;
const shortBesideLines = 160;
/** A quotation reaches to the end of its line, or of its sentence, where that is no further away. */
const reach = 100;
/** And so far back to its beginning: what opens a longer line seldom explains a value at its end. */
const reachBack = 60;

/** Everything a digest could say, priced once; `choose` is then asked at different prices per token. */
export interface Offer {
  /** What a line about a call or result costs beside its pieces. */
  readonly toolLead: number;
  readonly sources: readonly Source[];
  readonly clauses: readonly Clause[];
  readonly facts: readonly FoundFact[];
  readonly value: Float64Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly alone: Float64Array;
  /** Running sum over the text between the ends of neighbouring facts of one source. */
  readonly walked: Float64Array;
}

/**
 * Prices clauses, and the facts of calls and results; facts of a clause come with it. With `lines` calls and results are
 * quoted by whole lines: half a line of code tells a reader little.
 */
export function makeOffer(
  sources: readonly Source[],
  clauses: readonly Clause[],
  found: readonly FoundFact[],
  toolLead: number,
  lines: boolean,
): Offer {
  const facts = found.filter((fact) => sources[fact.source]!.kind !== "text");
  const starts = new Int32Array(facts.length);
  const ends = new Int32Array(facts.length);
  const alone = new Float64Array(facts.length);
  const walked = new Float64Array(facts.length);
  const value = new Float64Array(facts.length);
  let sum = 0;
  for (let i = 0; i < facts.length; i++) {
    const { source, start, end, use } = facts[i]!;
    const { text, carried } = sources[source]!;
    const whole = carried || text.length <= (lines ? shortBesideLines : shortSource);
    const [from, to] = whole ? [0, text.length] : lines ? quoteLine(text, start, end) : [undefined, undefined];
    starts[i] = from ?? quoteStart(text, start, lines);
    ends[i] = to ?? quoteEnd(text, end);
    value[i] = use;
    alone[i] = estimateText(text.slice(starts[i]!, ends[i]!)) + separatorCost;
    if (i > 0 && facts[i - 1]!.source === source) {
      const before = ends[i - 1]!;
      const length = ends[i]! - before;
      sum += length <= 0 ? 0 : length > farApart ? 1e6 : estimateText(text.slice(before, ends[i]!));
    }
    walked[i] = sum;
  }
  return { toolLead, sources, clauses, facts, value, starts, ends, alone, walked };
}

export interface Choice {
  readonly pieces: readonly Piece[];
  readonly cost: number;
}

/** All that is worth its tokens when one token costs `price`, in the order of the conversation. */
export function choose(offer: Offer, price: number): Choice {
  const pieces: Piece[] = [];
  return { pieces, cost: costAt(offer, price, pieces) };
}

/** What that costs. A search for the price asks many times, and needs the pieces only in the end. */
export function costAt(offer: Offer, price: number, pieces?: Piece[]): number {
  let cost = chooseFacts(offer, price, pieces);
  let last = -1;
  for (const clause of offer.clauses) {
    const lead = clause.source === last ? separatorCost / 2 : textLead;
    if (clause.value <= price * (clause.cost + lead)) continue;
    pieces?.push(clause);
    cost += clause.cost + lead;
    last = clause.source;
  }
  return cost;
}

/** How many left-over entries are tried. */
const mostSingles = 40;

/** What was not chosen and might still fit into `room` tokens, best first. */
export function singles(
  { sources, clauses, facts, value, starts, ends, alone }: Offer,
  choice: Choice,
  room: number,
): Piece[] {
  const taken = new Map<number, Piece[]>();
  for (const piece of choice.pieces) taken.set(piece.source, [...(taken.get(piece.source) ?? []), piece]);
  const free = (source: number, start: number, end: number) =>
    (taken.get(source) ?? []).every((piece) => end <= piece.start || start >= piece.end);
  const candidates: { readonly piece: Piece; readonly rank: number }[] = [];
  for (const clause of clauses) {
    if (clause.cost <= room + 2 && free(clause.source, clause.start, clause.end))
      candidates.push({ piece: clause, rank: clause.value / (clause.cost + textLead) });
  }
  facts.forEach((fact, at) => {
    if (alone[at]! > room + 3 || !free(fact.source, fact.start, fact.end)) return;
    const start = starts[at]!;
    const end = ends[at]!;
    const text = oneLine(sources[fact.source]!.text.slice(start, end));
    const worth = value[at]!;
    candidates.push({ piece: { source: fact.source, start, end, text, value: worth }, rank: worth / alone[at]! });
  });
  candidates.sort((a, b) => b.rank - a.rank);
  return candidates.slice(0, mostSingles).map(({ piece }) => piece);
}

/**
 * Within a source it is decided fact by fact whether to quote on from an earlier one (paying for the text between) or to
 * start a new quotation (paying for the key again).
 */
function chooseFacts(
  { toolLead, sources, facts, value, starts, ends, alone, walked }: Offer,
  price: number,
  pieces: Piece[] | undefined,
): number {
  const worth = new Float64Array(facts.length);
  const from = new Int32Array(facts.length);
  let cost = 0;
  for (let first = 0; first < facts.length; ) {
    const { source } = facts[first]!;
    let end = first;
    let best = 0;
    let bestAt = -1;
    for (; end < facts.length && facts[end]!.source === source; end++) {
      const gain = value[end]!;
      let most = best + gain - price * (alone[end]! + (bestAt < 0 ? toolLead : 0));
      let came = bestAt < 0 ? -1 : -2 - bestAt;
      for (let i = end - 1; i >= first && i >= end - lookBack; i--) {
        const joined = worth[i]! + gain - price * (walked[end]! - walked[i]!);
        if (joined >= most) {
          most = joined;
          came = i;
        }
      }
      worth[end] = most;
      from[end] = came;
      if (most > best) {
        best = most;
        bestAt = end;
      }
    }
    const place = pieces?.length ?? 0;
    for (let at = bestAt; at >= 0; ) {
      let use = 0;
      let head = at;
      let stop = ends[at]!;
      for (;;) {
        use += value[head]!;
        stop = Math.max(stop, ends[head]!);
        if (from[head]! < 0) break;
        head = from[head]!;
      }
      const start = starts[head]!;
      cost += alone[head]! + walked[at]! - walked[head]!;
      const { text } = sources[source]!;
      pieces?.splice(place, 0, { source, start, end: stop, text: oneLine(text.slice(start, stop)), value: use });
      at = from[head]! === -1 ? -1 : -2 - from[head]!;
    }
    if (bestAt >= 0) cost += toolLead;
    first = end;
  }
  return cost;
}

/**
 * The line that a fact stands in, as far as its edges are near. A line that has next to nothing beside the fact comes with
 * the one before it, which says what it is.
 */
function quoteLine(text: string, start: number, end: number): readonly [number | undefined, number | undefined] {
  const from = lineStart(text, start);
  const to = lineEnd(text, end);
  const bare = from !== undefined && start - from < leftChars && (to ?? end) - end < leftChars;
  if (!bare) return [from, to];
  const before = quoteStart(text, start, true);
  return [lineStart(text, before) ?? before, to];
}

/** Where the text or line begins, or else the sentence; undefined where all are far away. */
export function lineStart(text: string, at: number): number | undefined {
  let sentence: number | undefined;
  for (let i = at; at - i <= reach; i--) {
    if (i === 0) return 0;
    const near = at - i <= reachBack;
    if (text.charCodeAt(i - 1) === 10) return near ? i : sentence;
    if (isEscapedBreak(text, i - 2)) {
      while (i < at && text.charCodeAt(i) === 92 && text.charCodeAt(i + 1) === 116) i += 2;
      return near ? i : sentence;
    }
    if (near && text.charCodeAt(i - 1) === 32 && endsSentence(text, i - 2)) sentence ??= i;
  }
  return sentence;
}

export function lineEnd(text: string, at: number): number | undefined {
  let sentence: number | undefined;
  for (let i = at; i - at <= reach; i++) {
    if (i >= text.length || text.charCodeAt(i) === 10 || isEscapedBreak(text, i)) return i;
    if (text.charCodeAt(i) === 32 && endsSentence(text, i - 1)) sentence ??= i;
  }
  return sentence;
}

/**
 * Inside JSON a line ends with a backslash and the letter n. In plain text the same is part of a line (`printf("done\n")`,
 * `C:\new`), and so is an escaped backslash before an n.
 */
function isEscapedBreak(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 92 || text.charCodeAt(at + 1) !== 110 || text.charCodeAt(at - 1) === 92) return false;
  const opening = text.charCodeAt(0);
  return opening === 123 || opening === 91;
}

/** `.`, `!`, `?`, `;`; between commands also `|` and `&`. */
function endsSentence(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 46 || code === 33 || code === 63 || code === 59 || code === 124 || code === 38;
}

/** Back over at least `leftChars` characters, runs of white space counted as one, to where a key or a word starts. */
function quoteStart(text: string, fact: number, lines: boolean): number {
  let at = fact;
  let seen = 0;
  let space = false;
  while (at > 0 && seen < leftChars && fact - at < 200) {
    at--;
    const blank = text.charCodeAt(at) <= 32;
    if (!blank || !space) seen++;
    space = blank;
  }
  // In JSON: back to the quotation mark that opens the key of this or the field before.
  const from = Math.max(0, at - (lines ? farKey : nearKey));
  for (let i = at; i >= from; i--) {
    const code = text.charCodeAt(i);
    if (code === 34 && (i === 0 || isOpening(text, i))) return i;
    if (code === 10) break;
  }
  // Else with the key of the value itself, rather than in the middle of the value before it.
  for (let i = at + 1; lines && i < fact - 2; i++) {
    if (text.charCodeAt(i) === 34 && isOpening(text, i)) return i;
  }
  let steps = 0;
  while (at > 0 && steps++ < 12 && isWord(text.charCodeAt(at)) && isWord(text.charCodeAt(at - 1))) at--;
  // What closes or goes on from words before says nothing: ", let's explore the CSV".
  while (at < fact && (/[\s,;:.)\]}]/.test(text[at]!) || /^["'”’]\s/.test(text.slice(at, at + 2)))) at++;
  return at;
}

/** A quotation mark after `{`, `[` or `,` opens a key or an element. */
function isOpening(text: string, at: number): boolean {
  let i = at - 1;
  while (i >= 0 && text.charCodeAt(i) <= 32) i--;
  const code = text.charCodeAt(i);
  return code === 123 || code === 91 || code === 44;
}

/** With the quotation mark that closes it. */
function quoteEnd(text: string, end: number): number {
  return text.charCodeAt(end) === 34 ? end + 1 : end;
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127
  );
}
