import { type Message, textOf } from "@midfold/core";

const months = "january|february|march|april|may|june|july|august|september|october|november|december";
const dates = new RegExp(
  `\\b\\d{4}-\\d{2}-\\d{2}\\b|\\b\\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:${months})\\b|\\b(?:${months}) \\d{1,2}\\b|\\d{1,2}月\\d{1,2}日`,
  "gi",
);
const money = /(?:[€$£]\s?\d[\d.,]*\d|\d[\d.,]*\s?(?:€|euros?|dollars?|usd|eur)\b)/gi;
const addresses = /[\w.+-]+@[\w-]+\.[\w.-]*\w/g;
const numbers = /\b\d[\d.,]*\b/g;

/** What a question asks for, by its words, and how that looks. */
const wanted: readonly { readonly asks: RegExp; readonly looks: RegExp }[] = [
  { asks: /\b(?:date|when|which day|what day|deadline)\b|日期|哪天|什么时候/i, looks: dates },
  { asks: /\b(?:cost|price|how much|budget|pay|euros?|dollars?)\b|多少钱|价格/i, looks: money },
  { asks: /\b(?:e-?mail|mail address)\b/i, looks: addresses },
  { asks: /\b(?:how many|how long|number|percent)\b|多少/i, looks: numbers },
];
const decided = /\b(?:agree|decid|settl|chose|choos|plan)/i;
const decision = /\b(?:agreed|decided|it is|has to be|must be|will be|let's|chosen|settled|changed to)\b/i;
const longest = 220;
const ownMark = "offline demo model";

/**
 * What the conversation says about a question: the sentence that shares most of its rare words and holds what is asked
 * for, newer ones first. Undefined when nothing fits. No understanding, but no invention either: it quotes.
 */
export function answerFromContext(question: string, messages: readonly Message[]): string | undefined {
  if (!/[?？]/.test(question)) return undefined;
  const looks = wanted.find(({ asks }) => asks.test(question))?.looks;
  const terms = termsOf(question);
  const sentences = messages.flatMap((message) => {
    const text = textOf(message);
    // What the demo itself said before is no source; a summary may hold some of it beside what others said.
    if (message.role === "assistant" && text.includes(ownMark)) return [];
    return sentencesOf(text).filter((sentence) => !sentence.includes(ownMark) && !sentence.includes(question));
  });
  const often = countValues(sentences, looks);
  let best: { readonly text: string; readonly value: string | undefined; readonly score: number } | undefined;
  sentences.forEach((text, index) => {
    const value = looks === undefined ? undefined : mostSaid(text.match(looks) ?? [], often);
    if (looks !== undefined && value === undefined) return;
    const own = termsOf(text);
    const shared = [...terms].filter((term) => own.has(term)).length;
    const score =
      2 * shared +
      (value === undefined ? 0 : 1 + (often.get(value.toLowerCase()) ?? 0)) +
      (decided.test(question) && decision.test(text) ? 2 : 0) +
      index / sentences.length;
    if (score > (best?.score ?? 0)) best = { text, value, score };
  });
  // One shared word and no value is chance.
  if (best === undefined || best.score < (best.value === undefined ? 4 : 2)) return undefined;
  const quote = best.text.length <= longest ? best.text : `${best.text.slice(0, longest).trimEnd()}…`;
  return `${best.value === undefined ? "" : `**${best.value}**. `}It was said: “${quote}”`;
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?。！？])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** Long words by their beginning: "shipping" and "shipped" are one. */
const termsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.slice(0, 5)));

function countValues(sentences: readonly string[], looks: RegExp | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (looks === undefined) return counts;
  for (const text of sentences) {
    for (const value of text.match(looks) ?? [])
      counts.set(value.toLowerCase(), (counts.get(value.toLowerCase()) ?? 0) + 1);
  }
  return counts;
}

function mostSaid(values: readonly string[], often: ReadonlyMap<string, number>): string | undefined {
  return values.toSorted((a, b) => (often.get(b.toLowerCase()) ?? 0) - (often.get(a.toLowerCase()) ?? 0))[0];
}
