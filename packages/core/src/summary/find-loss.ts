import type { Fact } from "../digest/fact.ts";
import { factsIn } from "../digest/facts-in.ts";
import { oneLine } from "../digest/lines.ts";
import type { Message } from "../message/message.ts";

export interface LossReport {
  readonly kept: number;
  readonly repaired: number;
  readonly lost: number;
  /** The lost facts that would be missed most, most missed first. */
  readonly lostFacts: readonly Fact[];
}

/** What an extractor that did not write the text finds in the messages and not in the text. */
export function findLoss(text: string, messages: readonly Message[]): LossReport {
  const facts = factsIn(messages);
  const said = hear(text);
  const lost = facts.filter((fact) => !saysFact(said, fact));
  return reportLoss(facts.length - lost.length, 0, lost);
}

export function reportLoss(kept: number, repaired: number, lost: readonly Fact[], most = 200): LossReport {
  const ranked = lost.toSorted((a, b) => b.weight - a.weight || a.message - b.message);
  return { kept, repaired, lost: lost.length, lostFacts: ranked.slice(0, most) };
}

/** An amount or a date may be written in another order: "€ 6.40" says "6.40 €", "October 14" says "14 October". */
export function saysFact(said: Said, { kind, text }: Pick<Fact, "kind" | "text">): boolean {
  if (says(said, text)) return true;
  if (kind !== "money" && kind !== "date" && kind !== "number") return false;
  const parts = plain(text).match(partPattern) ?? [];
  return parts.length > 1 && said.lines.some((line) => parts.every((part) => line.has(part)));
}

const partPattern = /\d+(?:[.,:/-]\d+)*|\p{L}+|[$€£¥₹%]/gu;

/** A text to look things up in. Its words tell at once that most things are not there. */
export interface Said {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  /** The parts of each line. */
  readonly lines: readonly ReadonlySet<string>[];
}

const wordPattern = /[a-z0-9_]+/g;

export function hear(...texts: readonly string[]): Said {
  const text = plain(texts.join("\n"));
  const lines = texts.flatMap((one) => one.split("\n")).map((line) => new Set(plain(line).match(partPattern)));
  return { text, words: new Set(text.match(wordPattern)), lines };
}

/** Stands there as a whole: "45" is not said by "1450". */
export function says(said: Said, wanted: string): boolean {
  const value = plain(wanted);
  if (value === "") return true;
  for (const word of value.match(wordPattern) ?? []) if (!said.words.has(word)) return false;
  for (let at = said.text.indexOf(value); at !== -1; at = said.text.indexOf(value, at + 1)) {
    if (!isWord(said.text[at - 1]) && !isWord(said.text[at + value.length])) return true;
  }
  return false;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[a-z0-9_]/.test(char);
}

/** Case, spaces and quotation marks do not decide whether something was said. */
function plain(text: string): string {
  return oneLine(text).toLowerCase().replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
}
