import { splitSentences } from "../text/split-sentences.ts";
import type { Choice, Offer, Piece } from "./choose.ts";
import { newestDate, withDate } from "./dates.ts";
import { oneLine } from "./lines.ts";
import type { Source } from "./sources.ts";

/** What it takes to end whole may cost this many entries; then the last one is left as it is. */
const mostDropped = 3;
/** A line of a file or of output may be endless; so much more of it is quoted at most. */
const longestRest = 160;

/**
 * The choices that end in a whole sentence, best first: the last entry quoted on to the end of its sentence, then the same
 * without the entries that are worth least. None where the last entry is whole already.
 */
export function* wholeEnds(offer: Offer, choice: Choice): Generator<Choice> {
  const ordered = [...choice.pieces].sort((a, b) => a.source - b.source || a.start - b.start);
  const last = ordered.pop();
  if (last === undefined) return;
  const source = offer.sources[last.source]!;
  const end = source.carried ? last.end : sentenceEnd(source, last.end);
  // A sentence with its latest value behind it is whole as it is.
  if (end <= last.end || last.text.endsWith("]")) return;
  const whole = {
    ...last,
    end,
    text: withDate(oneLine(source.text.slice(last.start, end)), source.at, newestDate(offer.sources)),
  };
  const { cost } = choice;
  yield { pieces: [...ordered, whole], cost };
  const dropped = new Set<Piece>();
  const gained = whole.text.length - last.text.length;
  for (const piece of cheaper(ordered, last, gained * 1.5)) {
    dropped.add(piece);
    yield { pieces: [...ordered.filter((one) => !dropped.has(one)), whole], cost };
  }
}

/**
 * The pieces that are worth least for their length: less than the last one, and not much longer than what it gains. A phone
 * number is not given for the end of a sentence.
 */
function cheaper(pieces: readonly Piece[], last: Piece, longest: number): Piece[] {
  const worth = ({ text, value }: Piece) => value / text.length;
  const least = worth(last);
  const short = pieces.filter(({ text }) => text.length <= longest);
  const ranked = short.map((piece) => ({ piece, worth: worth(piece) })).filter(({ worth }) => worth < least);
  ranked.sort((a, b) => a.worth - b.worth);
  return ranked.slice(0, mostDropped).map(({ piece }) => piece);
}

/** Where the sentence ends in which a piece ends at `at`; in output of programs, where the line does. */
function sentenceEnd({ kind, text }: Source, at: number): number {
  const inside = at - 1;
  if (kind === "text") {
    const sentence = splitSentences(text, 4000).find(({ text: own, start }) => start + own.length > inside);
    return sentence === undefined || sentence.start > inside ? at : sentence.start + sentence.text.length;
  }
  const line = text.indexOf("\n", at);
  const end = line === -1 ? text.length : line;
  return end - at > longestRest ? at : end;
}
