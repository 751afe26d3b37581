import { flatText } from "./conversation.ts";
import type { Question, Recorded } from "./data.ts";

export interface EvidenceScore {
  readonly questions: number;
  /** Questions of which every evidence message keeps 70 % of its content words. */
  readonly all: number;
  /** Questions whose answer stands word for word in the evidence. */
  readonly answerable: number;
  /** Of those: 80 % of the answer's words are still there, in the evidence they came from. */
  readonly answered: number;
  /** The share of the evidence's words kept. */
  readonly share: number;
}

/** The content words of a kept text with their places, so that a word can be found among the words it came with. */
export interface WordIndex {
  readonly words: readonly string[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

const common = new Set(
  "a an and are as at be been but by can could did do does for from get got had has have he her him his how i if in into is it its just let like me my no not of on or our out she so some that the their them then there they this to too up us was we were what when where which who will with would you your yes oh really very also about all any because here more".split(
    " ",
  ),
);
const near = 3;
const speaker = /^\p{Lu}[\p{L} .'-]{0,30}: /u;

/** The words that carry meaning, stemmed. Who speaks is in every line and proves nothing. */
export function contentWords(text: string): string[] {
  const words =
    text
      .replace(speaker, "")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? [];
  return words.filter((word) => !common.has(word)).map(stem);
}

/** Light: plural, past and -ing endings. */
function stem(word: string): string {
  const bare = word.replace(/['’]\p{L}+$/u, "");
  if (bare.length <= 4) return bare;
  return bare
    .replace(/(?:ies|ied)$/, "y")
    .replace(/(?:ings?|ed|es|s)$/, "")
    .replace(/(\p{L})\1$/u, "$1");
}

export function indexWords(text: string): WordIndex {
  const words = contentWords(text);
  const places = new Map<string, number[]>();
  words.forEach((word, place) => {
    const list = places.get(word);
    if (list === undefined) places.set(word, [place]);
    else list.push(place);
  });
  return { words, places };
}

/**
 * Which of a message's content words are still there. A word counts only among words that stood near it in the message, on
 * the same side of it: that is how a word is told from the same word said elsewhere, whatever form the kept text has.
 */
export function keptWords(message: string, kept: WordIndex): Set<string> {
  const words = contentWords(message);
  const found = new Set<string>();
  words.forEach((word, at) => {
    if (found.has(word)) return;
    const places = kept.places.get(word);
    if (places === undefined) return;
    const left = new Set(words.slice(Math.max(0, at - near), at));
    const right = new Set(words.slice(at + 1, at + 1 + near));
    const wanted = Math.min(2, left.size + right.size);
    const among = (place: number) => {
      let seen = 0;
      for (let step = 1; step <= near && seen < wanted; step++) {
        if (left.has(kept.words[place - step] ?? "")) seen++;
        if (right.has(kept.words[place + step] ?? "")) seen++;
      }
      return seen >= wanted;
    };
    if (places.some(among)) found.add(word);
  });
  return found;
}

export function askable({ category, evidence }: Question): boolean {
  return evidence.length > 0 && category !== 5;
}

export function scoreQuestion(conversation: Recorded, question: Question, kept: WordIndex | undefined): EvidenceScore {
  const texts = question.evidence.map((index) => flatText(conversation.messages[index]!));
  const answer = new Set(contentWords(String(question.answer)));
  const source = new Set(texts.flatMap(contentWords));
  const answerable = answer.size > 0 && cover(answer, source) >= 0.8;
  if (kept === undefined) return { questions: 1, all: 0, answerable: Number(answerable), answered: 0, share: 0 };
  const left = texts.map((text) => keptWords(text, kept));
  const shares = texts.map((text, index) => {
    const words = new Set(contentWords(text));
    return words.size === 0 ? 1 : left[index]!.size / words.size;
  });
  const total = texts.reduce((sum, text) => sum + new Set(contentWords(text)).size, 0);
  const union = new Set(left.flatMap((words) => [...words]));
  return {
    questions: 1,
    all: Number(shares.every((share) => share >= 0.7)),
    answerable: Number(answerable),
    answered: Number(answerable && cover(answer, union) >= 0.8),
    share: left.reduce((sum, words) => sum + words.size, 0) / Math.max(1, total),
  };
}

function cover(wanted: ReadonlySet<string>, there: ReadonlySet<string>): number {
  let found = 0;
  for (const word of wanted) if (there.has(word)) found++;
  return found / wanted.size;
}
