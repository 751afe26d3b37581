import { estimateText } from "../tokens/estimate-text.ts";
import type { FoundFact, Source } from "./find-facts.ts";

/** A verbatim quotation from one source: from the first chosen fact's key to the last one's end. */
export interface Quote {
  readonly source: number;
  readonly start: number;
  readonly end: number;
  readonly facts: readonly FoundFact[];
}

/** Facts with what quoting them costs, alone or after another one; made once, used for every price. */
export interface PricedFacts {
  readonly facts: readonly FoundFact[];
  /** Where a quotation of the fact alone starts: its key or the words before it. */
  readonly starts: Int32Array;
  readonly alone: Float64Array;
  /** Running sum over the text between the ends of neighbouring facts of one source. */
  readonly walked: Float64Array;
}

/** Characters before a value that say what it is. */
const leftChars = 22;
const separator = 1.5;
const lookBack = 8;
const farApart = 160;

export function priceFacts(sources: readonly Source[], facts: readonly FoundFact[]): PricedFacts {
  const starts = new Int32Array(facts.length);
  const alone = new Float64Array(facts.length);
  const walked = new Float64Array(facts.length);
  let sum = 0;
  for (let i = 0; i < facts.length; i++) {
    const { source, start, end } = facts[i]!;
    const { text } = sources[source]!;
    starts[i] = contextStart(text, start);
    alone[i] = estimateText(text.slice(starts[i]!, end)) + separator;
    const before = facts[i - 1];
    if (before !== undefined && before.source === source) {
      const gap = end - before.end;
      sum += gap <= 0 ? 0 : gap > farApart ? 1e6 : estimateText(text.slice(before.end, end));
    }
    walked[i] = sum;
  }
  return { facts, starts, alone, walked };
}

/** Back over at least `leftChars` characters, runs of white space counted as one, to the start of a word. */
function contextStart(text: string, fact: number): number {
  let at = fact;
  let seen = 0;
  let space = false;
  while (at > 0 && seen < leftChars && fact - at < 200) {
    at--;
    const blank = text.charCodeAt(at) <= 32;
    if (!blank || !space) seen++;
    space = blank;
  }
  let steps = 0;
  while (at > 0 && steps++ < 12 && isWord(text.charCodeAt(at)) && isWord(text.charCodeAt(at - 1))) at--;
  return at;
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127
  );
}

/**
 * The quotations worth their tokens when one token costs `price`. Within a source it is decided fact by fact whether to
 * quote on from the fact before (paying for the text between) or to start a new quotation (paying for the key again).
 */
export function chooseQuotes(
  { facts, starts, alone, walked }: PricedFacts,
  price: number,
  lead: number,
  value: Float64Array,
): Quote[] {
  const quotes: Quote[] = [];
  const worth = new Float64Array(facts.length);
  const from = new Int32Array(facts.length);
  for (let first = 0; first < facts.length; ) {
    const { source } = facts[first]!;
    let end = first;
    let best = 0;
    let bestAt = -1;
    for (; end < facts.length && facts[end]!.source === source; end++) {
      const gain = value[end]!;
      let most = best + gain - price * (alone[end]! + (bestAt < 0 ? lead : 0));
      let came = bestAt < 0 ? -1 : -2 - bestAt;
      for (let i = end - 1; i >= first && i >= end - lookBack; i--) {
        const joined = worth[i]! + gain - price * (walked[end]! - walked[i]!);
        if (joined > most) {
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
    const chosen: Quote[] = [];
    for (let at = bestAt; at >= 0; ) {
      const members: FoundFact[] = [facts[at]!];
      const stop = facts[at]!.end;
      let head = at;
      let furthest = stop;
      while (from[head]! >= 0) {
        head = from[head]!;
        members.push(facts[head]!);
        furthest = Math.max(furthest, facts[head]!.end);
      }
      chosen.push({ source, start: starts[head]!, end: furthest, facts: members.reverse() });
      at = from[head]! === -1 ? -1 : -2 - from[head]!;
    }
    quotes.push(...chosen.reverse());
    first = end;
  }
  return quotes;
}
