import type { TokenCounter } from "../tokens/token-counter.ts";
import { clipJson } from "./clip-json.ts";
import { findErrorLines } from "./find-error-lines.ts";

export interface ClipTextOptions {
  /** Stands where text was left out; how much was left out follows it. */
  readonly marker?: string;
  /** Keep JSON parseable by shortening what is inside it. Default true. */
  readonly json?: boolean;
}

export const defaultMarker = "[Output truncated...]";

/** No vocabulary in use has tokens longer than this many characters, so a longer text needs no counting to be too long. */
const longestToken = 256;

/**
 * The text within `maxTokens`: its head, its tail, and between them the lines that look like errors. What fits comes
 * back as it is. Cuts fall on lines where a line end is near, else between graphemes.
 */
export function clipText(
  text: string,
  maxTokens: number,
  counter: TokenCounter,
  options: ClipTextOptions = {},
): string {
  const marker = options.marker ?? defaultMarker;
  if (text === "" || (maxTokens > 0 && fits(text, maxTokens, counter))) return text;
  if (maxTokens <= 0) return "";
  if (options.json !== false) {
    const json = clipJson(text, maxTokens, counter, marker);
    if (json !== undefined) return json;
  }
  const widest = `${marker} (${grouped(text.length)} characters left out)`;
  let budget = maxTokens - counter.count(widest) - 2;
  // A joint between two cuts may cost a token more than its sides, so what is over is taken off the next try.
  for (let attempt = 0; attempt < 6 && budget >= 8; attempt++) {
    const clipped = headErrorsTail(text, budget, counter, marker);
    const over = counter.count(clipped) - maxTokens;
    if (over <= 0) return clipped;
    budget -= over + 1;
  }
  return counter.count(marker) <= maxTokens ? marker : counter.take(text.slice(0, maxTokens * longestToken), maxTokens);
}

/** Whether the text is within the budget; never counts a text that is too long to be. */
function fits(text: string, maxTokens: number, counter: TokenCounter): boolean {
  return text.length <= maxTokens * longestToken && counter.count(text) <= maxTokens;
}

function headErrorsTail(text: string, budget: number, counter: TokenCounter, marker: string): string {
  const tail = lineTail(counter.takeLast(lastChars(text, budget * longestToken), Math.floor(budget * 0.3)));
  const errors = takeErrorLines(text, text.length - tail.length, Math.floor(budget * 0.25), counter);
  const spent = counter.count(tail) + (errors === "" ? 0 : counter.count(errors));
  const head = lineHead(counter.take(firstChars(text, budget * longestToken), Math.max(0, budget - spent)));
  const fresh = errors === "" ? [] : errors.split("\n").filter((line) => !head.includes(line));
  const left = text.length - head.length - tail.length - fresh.reduce((sum, line) => sum + line.length, 0);
  const note = `${marker} (${grouped(Math.max(0, left))} characters left out)`;
  return [head, note, ...fresh, tail].filter((piece) => piece !== "").join("\n");
}

/** Error lines before the tail, from the start, as many as fit. Those that end up inside the head are dropped later. */
function takeErrorLines(text: string, to: number, budget: number, counter: TokenCounter): string {
  let kept = "";
  for (const line of findErrorLines(text, 0, to)) {
    const more = kept === "" ? line : `${kept}\n${line}`;
    if (counter.count(more) > budget) break;
    kept = more;
  }
  return kept;
}

/** Ends at a line end when one lies in the last fifth. */
function lineHead(head: string): string {
  const newline = head.lastIndexOf("\n");
  return newline >= head.length * 0.8 ? head.slice(0, newline) : head;
}

function lineTail(tail: string): string {
  const newline = tail.indexOf("\n");
  return newline !== -1 && newline < tail.length * 0.2 ? tail.slice(newline + 1) : tail;
}

function firstChars(text: string, length: number): string {
  if (length >= text.length) return text;
  return text.slice(0, isLowSurrogate(text, length) ? length - 1 : length);
}

function lastChars(text: string, length: number): string {
  if (length >= text.length) return text;
  const start = text.length - length;
  return text.slice(isLowSurrogate(text, start) ? start + 1 : start);
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** 1234567 → "1,234,567", the same on every machine. */
export function grouped(value: number): string {
  const digits = String(Math.round(value));
  let out = "";
  for (let i = 0; i < digits.length; i++) {
    if (i > 0 && (digits.length - i) % 3 === 0) out += ",";
    out += digits[i];
  }
  return out;
}
