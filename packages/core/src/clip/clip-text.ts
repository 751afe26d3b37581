import type { TokenCounter } from "../tokens/token-counter.ts";

export interface ClipTextOptions {
  /** Stands where text was left out; how much was left out follows it. */
  readonly marker?: string;
  /** Keep JSON parseable by shortening what is inside it. Default true. */
  readonly json?: boolean;
  /** Lines of the text that are to stay before those that look like errors. */
  readonly important?: (text: string) => readonly string[];
}

export const defaultMarker = "[Output truncated...]";

/** No vocabulary in use has tokens longer than this many characters, so a longer text needs no counting to be too long. */
const longestToken = 256;

/**
 * The text within `maxTokens`: its head, its tail, and between them the important lines. What fits comes
 * back as it is. Cuts fall on lines where a line end is near, else between graphemes.
 *
 * @example clipText(longOutput, 500, getCounter("gpt-4o"));
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
  const lines = [...(options.important?.(text) ?? []), ...findErrorLines(text)];
  const widest = `${marker} (${grouped(text.length)} characters left out)`;
  let budget = maxTokens - counter.count(widest) - 2;
  // A joint between two cuts may cost a token more than its sides, so what is over is taken off the next try.
  for (let attempt = 0; attempt < 6 && budget >= 8; attempt++) {
    const clipped = headLinesTail(text, budget, counter, marker, lines);
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

function headLinesTail(
  text: string,
  budget: number,
  counter: TokenCounter,
  marker: string,
  lines: readonly string[],
): string {
  const tail = lineTail(counter.takeLast(lastChars(text, budget * longestToken), Math.floor(budget * 0.3)));
  const between = takeLines(
    lines.filter((line) => !tail.includes(line)),
    Math.floor(budget * 0.25),
    counter,
  );
  const spent = counter.count(tail) + (between.length === 0 ? 0 : counter.count(between.join("\n")));
  const head = lineHead(counter.take(firstChars(text, budget * longestToken), Math.max(0, budget - spent)));
  const fresh = between.filter((line) => !head.includes(line));
  const left = text.length - head.length - tail.length - fresh.reduce((sum, line) => sum + line.length, 0);
  const note = `${marker} (${grouped(Math.max(0, left))} characters left out)`;
  return [head, note, ...fresh, tail].filter((piece) => piece !== "").join("\n");
}

/** As many lines as fit, from the first. Those that end up inside the head are dropped later. */
function takeLines(lines: readonly string[], budget: number, counter: TokenCounter): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (counter.count([...kept, line].join("\n")) <= budget) kept.push(line);
    else if (kept.length > 0) break;
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
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * JSON that must become shorter stays JSON: long strings lose their middle, long lists their middle items, deep values
 * their depth; keys stay. Levels are tried from mild to harsh until one fits.
 */
interface Level {
  readonly chars: number;
  readonly items: number;
  readonly keys: number;
  readonly depth: number;
}

const levels: readonly Level[] = Array.from({ length: 10 }, (_, step) => {
  const between = (mild: number, harsh: number) => Math.round(mild * (harsh / mild) ** (step / 9));
  return { chars: between(4000, 30), items: between(64, 1), keys: between(512, 8), depth: between(32, 2) };
});

/** Larger inputs are treated as text: parsing them would cost more memory than the clip is worth. */
const largestJson = 32 * 1024 * 1024;

/** The JSON text shortened to fit, still parseable; undefined when it is no JSON object or array, or nothing fits. */
function clipJson(text: string, maxTokens: number, counter: TokenCounter, marker: string): string | undefined {
  const first = text.trimStart()[0];
  if ((first !== "{" && first !== "[") || text.length > largestJson) return undefined;
  const value = parseExactly(text);
  if (typeof value !== "object" || value === null) return undefined;
  const indent = /^[{[]\r?\n( +|\t)/.exec(text.trimStart().slice(0, 64))?.[1];
  for (const level of levels) {
    const short = prune(value, level, marker, 0);
    for (const space of indent === undefined ? [undefined] : [indent, undefined]) {
      const json = JSON.stringify(short, null, space);
      if (json.length <= maxTokens * 256 && counter.count(json) <= maxTokens) return json;
    }
  }
  const bare = JSON.stringify(Array.isArray(value) ? [marker] : { truncated: marker });
  return counter.count(bare) <= maxTokens ? bare : undefined;
}

/**
 * Parses without rounding long numbers: ids of 17 digits and more must come out as they went in. Where the runtime
 * cannot keep them, the text counts as no JSON, and is cut as text instead.
 */
function parseExactly(text: string): unknown {
  try {
    if (!/\d{16}/.test(text)) return JSON.parse(text);
    const raw = (JSON as unknown as { rawJSON?: (source: string) => unknown }).rawJSON;
    if (raw === undefined) return undefined;
    return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
      typeof value === "number" && context?.source !== undefined && context.source !== String(value)
        ? raw(context.source)
        : value,
    );
  } catch {
    return undefined;
  }
}

function prune(value: unknown, level: Level, marker: string, depth: number): unknown {
  if (typeof value === "string") return pruneString(value, level.chars, marker);
  if (typeof value !== "object" || value === null || isRaw(value)) return value;
  if (depth >= level.depth) return Array.isArray(value) ? [marker] : { truncated: marker };
  return Array.isArray(value) ? pruneList(value, level, marker, depth) : pruneObject(value, level, marker, depth);
}

function pruneList(list: readonly unknown[], level: Level, marker: string, depth: number): unknown[] {
  if (list.length <= level.items + 1) return list.map((item) => prune(item, level, marker, depth + 1));
  const tail = Math.floor(level.items / 4);
  const head = level.items - tail;
  const note = `${marker} (${list.length - head - tail} of ${list.length} items left out)`;
  const short = (item: unknown) => prune(item, level, marker, depth + 1);
  return [...list.slice(0, head).map(short), note, ...list.slice(list.length - tail).map(short)];
}

function pruneObject(object: object, level: Level, marker: string, depth: number): object {
  const entries = Object.entries(object);
  const kept = entries.length <= level.keys ? entries : entries.slice(0, level.keys);
  const out: [string, unknown][] = kept.map(([key, value]) => [
    pruneString(key, Math.max(80, level.chars), marker),
    prune(value, level, marker, depth + 1),
  ]);
  if (kept.length < entries.length) {
    out.push(["truncated", `${marker} (${entries.length - kept.length} of ${entries.length} keys left out)`]);
  }
  // fromEntries defines own properties, so a key named __proto__ stays a key.
  return Object.fromEntries(out);
}

function pruneString(text: string, chars: number, marker: string): string {
  if (text.length <= chars + marker.length) return text;
  const tail = Math.floor(chars * 0.3);
  return `${wellFormed(text.slice(0, chars - tail))}${marker}${wellFormed(text.slice(text.length - tail))}`;
}

/** Drops the half of a surrogate pair that a cut left behind. */
function wellFormed(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const first = text.charCodeAt(0);
  return text.slice(
    first >= 0xdc00 && first <= 0xdfff ? 1 : 0,
    last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length,
  );
}

function isRaw(value: object): boolean {
  const check = (JSON as unknown as { isRawJSON?: (value: unknown) => boolean }).isRawJSON;
  return check?.(value) ?? false;
}

/**
 * Lines that say something went wrong, in the words programs use for it. Wrong guesses are cheap (a line more), missed
 * ones are not (the one line that mattered), so the list is wide.
 */
const failure =
  /error|exception|\bfail(?:ed|s|ure|ures|ing)?\b|\bfatal\b|\bpanic|traceback|\bdenied\b|\brefused\b|\btimed? ?out\b|\bnot found\b|\bno such\b|\bcannot\b|\bunable to\b|\babort(?:ed)?\b|\bsegfault|segmentation fault|\bexit(?:ed)?(?: with)? ?(?:code|status)|\bexitcode\b|\bunexpected\b|\binvalid\b|[✗✘❌]|\bFAIL\b|fehler|erreur|ошибка|błąd|错误|失败|失敗|エラー|lỗi|gagal/i;
const harmless = /\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b|\bexit(?: ?code|ed with code|status)?:? 0\b/gi;
const longestLine = 400;

function isErrorLine(line: string): boolean {
  if (!failure.test(line)) return false;
  return failure.test(line.replace(harmless, ""));
}

/**
 * The distinct error lines of `text`, in order, each cut to 400 characters. Lines that differ only
 * in their digits count as one: a thousand retries are one fact.
 */
function findErrorLines(text: string, limit = 64): string[] {
  const lines: string[] = [];
  const seen = new Set<string>();
  let start = 0;
  while (start < text.length && lines.length < limit) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + longestLine)).trim();
    start = end + 1;
    if (line.length < 4 || !isErrorLine(line)) continue;
    const shape = line.replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#");
    if (seen.has(shape)) continue;
    seen.add(shape);
    lines.push(line);
  }
  return lines;
}
