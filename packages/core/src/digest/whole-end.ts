import { splitSentences } from "../text/split-sentences.ts";
import type { Choice, Offer, Piece } from "./choose.ts";
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
export function wholeEnds(offer: Offer, choice: Choice): Choice[] {
  const ordered = [...choice.pieces].sort((a, b) => a.source - b.source || a.start - b.start);
  const last = ordered.pop();
  if (last === undefined) return [];
  const source = offer.sources[last.source]!;
  const end = source.carried ? last.end : sentenceEnd(source, last.end);
  if (end <= last.end) return [];
  const whole = { ...last, end, text: oneLine(source.text.slice(last.start, end)) };
  const ends: Choice[] = [{ pieces: [...ordered, whole], cost: choice.cost }];
  const cheapest = ordered.map((piece) => ({ piece, worth: worthOf(offer, piece) })).sort((a, b) => a.worth - b.worth);
  for (const { piece } of cheapest.slice(0, mostDropped)) {
    const { pieces } = ends.at(-1)!;
    ends.push({ pieces: pieces.filter((one) => one !== piece), cost: choice.cost });
  }
  return ends;
}

/** Where the sentence, or in what programs wrote the line, ends that `at` is the end of a piece of. */
function sentenceEnd({ kind, text }: Source, at: number): number {
  const inside = at - 1;
  if (kind === "text") {
    const sentence = splitSentences(text).find(({ text: own, start }) => start + own.length > inside);
    return sentence === undefined || sentence.start > inside ? at : sentence.start + sentence.text.length;
  }
  const line = text.indexOf("\n", at);
  const end = line === -1 ? text.length : line;
  return end - at > longestRest ? at : end;
}

function worthOf({ clauses, sources }: Offer, { source, start, text, facts }: Piece): number {
  const value =
    sources[source]!.kind === "text"
      ? (clauses.find((clause) => clause.source === source && clause.start === start)?.value ?? 0)
      : facts.reduce((sum, fact) => sum + fact.use, 0);
  return value / text.length;
}
