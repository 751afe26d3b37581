import { asks } from "../text/asks.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { newestDate, withDate } from "./dates.ts";
import { newestThatFit } from "./fit-lines.ts";
import { joinKept, oneLine } from "./lines.ts";
import { isOwn, listMark, readId, withId } from "./rules.ts";
import type { Source } from "./sources.ts";

/** What the user said stays word for word up to this share: in an agent's conversation that is nearly all of it. */
const userShare = 0.25;
/** Of a single message the task and the rules are told already: a prompt of 1,500 tokens took a quarter of every note. */
const userShareOfOne = 0.12;
/** And where no tools were used: what is asked about such a chat later was mostly said by the user. */
const userShareInTalk = 0.95;
/** Above this share of all words the user is a speaker like the other: then what is said is chosen by its value. */
const fewWords = 0.1;
const fewWordsInTalk = 0.3;
/** Of the newest messages of the user no sentence gives way to older ones: the work in hand is about them. */
const newestWhole = 5;
/** Below this `Talk.share` (tools did a sixth or more) the user gives orders; above it they tell things. */
const mostlyTalk = 0.5;
const shortSentence = 160;
/** Longer sentences of the user are pasted text, unless they read as prose: people also write without a full stop. */
const longestSentence = 300;
/** So much of prose is letters. */
const proseLetters = 0.7;

/** How much of a stretch of conversation is talk, and how much of that the user's. */
export interface Talk {
  /** How much is talk and not tools, to the power of four. */
  readonly share: number;
  /** The user says little of all that is said and done. */
  readonly few: boolean;
  /** Two people tell each other things: no work is done, and there is no story of it. */
  readonly equals: boolean;
}

export function talkOf(sources: readonly Source[]): Talk {
  let own = 0;
  let done = 0;
  let all = 1;
  for (const source of sources) {
    const { kind, text } = source;
    all += text.length;
    if (kind === "call" || kind === "result") done += text.length;
    if (isSaid(source)) own += text.length;
  }
  const share = (1 - done / all) ** 4;
  const few = own / all <= fewWords + share * (fewWordsInTalk - fewWords);
  return { share, few, equals: done === 0 && !few };
}

/**
 * What the user said, in order, a line for each message: orders, conditions and preferences are short and rarely repeated,
 * and which of them will matter cannot be told. Where not all fits, the newest messages come first, then beside work what is
 * short and asks nothing, then the sentences that tell most for their length.
 */
export function userLines(
  sources: readonly Source[],
  { share, few }: Talk,
  carried: readonly string[],
  known: string,
  maxTokens: number,
  counter: TokenCounter,
  latest: (line: string) => string,
): string[] {
  let last = -1;
  const newest = newestDate(sources);
  const said = new Set<string>();
  const groups: { readonly id: string | undefined; readonly lines: string[] }[] = [];
  // What is told elsewhere leaves a gap.
  const add = (line: string) => {
    const told = known.includes(line.replace(listMark, "")) || said.has(line);
    if (!told) said.add(line);
    groups.at(-1)!.lines.push(told ? "" : line);
  };
  for (const line of carried) {
    const { text, id } = readId(line);
    groups.push({ id, lines: [] });
    for (const sentence of text.split(sentenceEnd)) add(latest(sentence));
  }
  // Where the user says much, that is chosen by its value; what an earlier digest has of the user is nowhere else.
  for (const { text, carried: again, id, at, message } of few ? sources.filter(isSaid) : []) {
    if (again || message !== last) groups.push({ id: again ? undefined : id, lines: [] });
    last = message;
    for (const sentence of again ? [{ text }] : splitSentences(text)) {
      const line = oneLine(sentence.text);
      add(isProse(line) && isOwn(line) ? latest(withDate(line, at, newest)) : "");
    }
  }
  // The same sentence with other numbers gives way: thirty times "Now look at part 7." left no room for a ticket's number.
  const shape = (line: string) => line.replace(/\d+/g, "");
  const times = new Map<string, number>();
  for (const line of said) times.set(shape(line), (times.get(shape(line)) ?? 0) + 1);
  const newestLines = new Set(groups.slice(-newestWhole).flatMap(({ lines }) => lines));
  // Beside work, what is short and asks nothing mostly says how it is to be done: "I like error messages that name the file."
  const told = (line: string) => share < mostlyTalk && line.length <= shortSentence && !asks(line);
  const rank = (line: string) => (times.get(shape(line))! > 2 ? 0 : newestLines.has(line) ? 3 : told(line) ? 2 : 1);
  const tellsOf = tellingOf([...said], counter);
  const ranked = [...said].sort((a, b) => rank(a) - rank(b) || tellsOf.get(a)! - tellsOf.get(b)!);
  const least = groups.length === 1 ? userShareOfOne : userShare;
  const most = maxTokens * (least + share ** 2 * (userShareInTalk - least));
  const kept = new Set(newestThatFit(ranked, most, (line) => counter.count(line) + 1));
  return groups.flatMap(({ id, lines }) => {
    const text = joinKept(lines, (line) => kept.has(line));
    return text === "" ? [] : [withId({ text, id })];
  });
}

/** What a line costs beside its words: the mark and the message it cites. */
const lineLead = 4;

/**
 * How much each sentence tells for its length: words that few of the others have. By age alone, the questions of a long chat
 * went before "That makes sense, thanks!".
 */
function tellingOf(lines: readonly string[], counter: TokenCounter): ReadonlyMap<string, number> {
  const words = lines.map((line) => new Set(termsOf(line).filter((term) => !stopWords.has(term))));
  const having = new Map<string, number>();
  for (const word of words.flatMap((set) => [...set])) having.set(word, (having.get(word) ?? 0) + 1);
  return new Map(
    lines.map((line, at) => {
      let told = 0;
      for (const word of words[at]!) told += Math.log(1 + lines.length / having.get(word)!);
      return [line, told / (counter.count(line) + lineLead)];
    }),
  );
}

function isProse(line: string): boolean {
  if (line.length <= longestSentence) return true;
  return (line.match(/\p{L}/gu)?.length ?? 0) >= line.length * proseLetters;
}

/** Whether it is the user's words, said now or told by an earlier digest. */
const isSaid = ({ kind, by }: Source) => kind === "text" && by === "user";

/** Not before what a digest writes behind a sentence: `[later: May 7]`. */
const sentenceEnd = /(?<=\p{L}{3}[.!?]|[。！？]|…) (?!\[)| (?=… )/u;
