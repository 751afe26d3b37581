import type { TokenCounter } from "../tokens/token-counter.ts";
import { endAtEdge, endOf, outsidePair, startAtEdge, startOf } from "./cut-at-edge.ts";

export interface ClipTextOptions {
  /** Stands where text was left out; how much was left out follows it. */
  readonly marker?: string;
  /** Keep JSON parseable by shortening what is inside it. Default true. */
  readonly json?: boolean;
  /** Lines of the text that are to stay before those that look like errors. */
  readonly important?: (text: string) => readonly string[];
  /** The share of the room that lines between the two ends may take. */
  readonly linesShare?: number;
}

export const defaultMarker = "[Output truncated...]";

/** No vocabulary in use has tokens longer than this many characters, so a longer text needs no counting to be too long. */
const longestToken = 256;

/**
 * The text within `maxTokens`: its head, its tail, and between them the important lines. What fits comes
 * back as it is. Cuts fall on ends of lines, sentences or words where one is near, else between graphemes.
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
  // What is worth keeping line by line is worth more than a long mark.
  const least = options.important === undefined ? 8 : 16;
  // A joint between two cuts may cost a token more than its sides, so what is over is taken off the next try.
  for (let attempt = 0; attempt < 6 && budget >= least; attempt++) {
    const clipped = headLinesTail(text, budget, counter, marker, lines, options.linesShare);
    const over = counter.count(clipped) - maxTokens;
    if (over <= 0) return clipped;
    budget -= over + 1;
  }
  if (options.important === undefined && counter.count(marker) <= maxTokens) return marker;
  return endsOf(text, maxTokens, counter);
}

/** In a few tokens: the first and the last words with a short mark between them. The long mark alone would say nothing. */
function endsOf(text: string, maxTokens: number, counter: TokenCounter): string {
  for (let room = maxTokens - 2; room >= 2; room--) {
    const last = Math.floor(room * 0.3);
    const ends = `${takeStart(text, room - last, counter)} … ${takeEnd(text, last, counter)}`.trimEnd();
    if (counter.count(ends) <= maxTokens) return ends;
  }
  return takeStart(text, maxTokens, counter);
}

/** The beginning within so many tokens, up to a good place to cut. */
function takeStart(text: string, maxTokens: number, counter: TokenCounter): string {
  if (maxTokens <= 0) return "";
  const taken = counter.take(text.slice(0, outsidePair(text, maxTokens * longestToken)), maxTokens);
  return text.slice(0, endAtEdge(text, taken.length)).trimEnd();
}

/** The end within so many tokens, from a good place to cut on. */
function takeEnd(text: string, maxTokens: number, counter: TokenCounter): string {
  if (maxTokens <= 0) return "";
  const taken = counter.takeLast(text.slice(outsidePair(text, text.length - maxTokens * longestToken)), maxTokens);
  return text.slice(startAtEdge(text, text.length - taken.length)).trimStart();
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
  linesShare = 0.25,
): string {
  const end = takeEnd(text, Math.floor(budget * 0.3), counter);
  const room = budget - counter.count(end);
  const linesRoom = Math.floor(budget * linesShare);
  // Lines that the head has anyway need no room of their own.
  const surely = takeStart(text, room - linesRoom, counter);
  const between = takeLines(
    lines.filter((line) => !end.includes(line) && !surely.includes(line)),
    linesRoom,
    counter,
  );
  const spent = between.length === 0 ? 0 : counter.count(between.join("\n"));
  const head = takeStart(text, room - spent, counter);
  // What the head left of its room, since it ends at an edge.
  const tail = takeEnd(text, budget - spent - counter.count(head), counter);
  const fresh = between.filter((line) => !head.includes(line) && !tail.includes(line));
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

/** 1234567 → "1,234,567", the same on every machine. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** JSON that must become shorter stays JSON: long strings lose their middle, long lists their middle items; keys stay. */
interface Level {
  readonly chars: number;
  readonly items: number;
  readonly keys: number;
}

/** Where shortening everything alike leaves more of the room than this, the beginning as it was is worth more. */
const wellFilled = 0.85;

/** Larger inputs are treated as text: parsing them would cost more memory than the clip is worth. */
const largestJson = 32 * 1024 * 1024;

/** The JSON text shortened to fit, still parseable; undefined when it is no JSON object or array, or nothing fits. */
function clipJson(text: string, maxTokens: number, counter: TokenCounter, marker: string): string | undefined {
  const first = text.trimStart()[0];
  if ((first !== "{" && first !== "[") || text.length > largestJson) return undefined;
  const value = parseExactly(text);
  if (!isNested(value)) return undefined;
  const write = /": |, "/.test(text.slice(0, 200)) ? writeSpaced : JSON.stringify;
  let best: string | undefined;
  let used = 0;
  const tryOut = (candidate: unknown) => {
    const json = write(candidate);
    const tokens = json.length <= maxTokens * longestToken ? counter.count(json) : maxTokens + 1;
    if (tokens > maxTokens) return false;
    if (tokens > used) best = json;
    used = Math.max(used, tokens);
    return true;
  };
  // What cannot fit in any case goes first, so that a million entries are looked through once. With a key more than there
  // are tokens nothing fits until `firstLeaves` leaves it out.
  const most = { chars: maxTokens * 8, items: maxTokens, keys: maxTokens + 1 };
  const whole = prune(value, most, marker, 0);
  // From nearly nothing left out of strings and lists to next to nothing left of them.
  bisect(1, (harsh) => {
    const level = { ...most, chars: 30 ** harsh * most.chars ** (1 - harsh), items: maxTokens ** (1 - harsh) };
    return !tryOut(prune(whole, level, marker, 0));
  });
  if (used < maxTokens * wellFilled) {
    const short = prune(whole, { ...most, chars: maxTokens }, marker, 0);
    const total = countLeaves(value);
    bisect(maxTokens, (leaves) => tryOut(firstLeaves(short, Math.floor(leaves), total, marker)));
  }
  if (best === undefined) tryOut(Array.isArray(value) ? [marker] : { truncated: marker });
  return best;
}

/** Tries halves of halves: upwards from where it holds, downwards from where it does not. */
function bisect(top: number, holds: (at: number) => boolean): void {
  let low = 0;
  let high = top;
  for (let step = 0; step < 9; step++) {
    const at = (low + high) / 2;
    if (holds(at)) low = at;
    else high = at;
  }
}

/** On one line, with spaces between values: line ends in strings are escaped, so each there is stands between values. */
function writeSpaced(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(
    /([[{])?\n\s*(?=([\]}])?)/g,
    (_all, opens, closes) => opens ?? (closes ? "" : " "),
  );
}

/** The value up to its n-th leaf; then a note of how many were left out, once. */
function firstLeaves(value: unknown, leaves: number, total: number, marker: string): unknown {
  let left = leaves;
  let noted = false;
  const walk = (inner: unknown): unknown => {
    if (!isNested(inner)) {
      left--;
      return inner;
    }
    const kept: [string, unknown][] = [];
    for (const [key, item] of Object.entries(inner)) {
      if (left <= 0 && noted) break;
      noted = left <= 0;
      kept.push(noted ? ["truncated", `${marker} (${total - leaves} of ${total} values left out)`] : [key, walk(item)]);
    }
    return Array.isArray(inner) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
  };
  return walk(value);
}

function countLeaves(value: unknown, depth = 0): number {
  if (!isNested(value) || depth >= deepest) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + countLeaves(item, depth + 1), 0);
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

/** Deeper values are left out: nobody writes them, and looking into them could take more than the stack has. */
const deepest = 32;

function prune(value: unknown, level: Level, marker: string, depth: number): unknown {
  if (typeof value === "string") return pruneString(value, level.chars, marker);
  if (!isNested(value)) return value;
  if (depth >= deepest) return marker;
  const short = (item: unknown) => prune(item, level, marker, depth + 1);
  if (Array.isArray(value)) return pruneList(value, Math.floor(level.items), marker).map(short);
  // fromEntries defines own properties, so a key named __proto__ stays a key.
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, level.keys)
      .map(([key, item]) => [key, short(item)]),
  );
}

function pruneList(list: readonly unknown[], items: number, marker: string): readonly unknown[] {
  if (list.length <= items + 1) return list;
  const tail = Math.floor(items / 4);
  const head = items - tail;
  const note = `${marker} (${list.length - items} of ${list.length} items left out)`;
  return [...list.slice(0, head), note, ...list.slice(list.length - tail)];
}

function pruneString(text: string, chars: number, marker: string): string {
  if (text.length <= chars + marker.length) return text;
  const tail = Math.floor(chars * 0.3);
  return `${startOf(text, Math.ceil(chars - tail))}${marker}${endOf(text, tail)}`;
}

/** A list or an object; a number that is kept as it was written is neither. */
function isNested(value: unknown): value is object {
  return value instanceof Object;
}

/**
 * Lines that say something went wrong, in the words programs use for it. Wrong guesses are cheap (a line more), missed
 * ones are not (the one line that mattered), so the list is wide.
 */
const failure =
  /error|exception|\bfail(?:\b|ed|s|ur|in)|\bfatal|\bpanic|traceback|\bdenied\b|\brefused\b|\btimed? ?out\b|\bnot found\b|\bno such\b|\bcannot\b|\bunable to\b|\babort|\bseg\w* ?fault|\bexit.{0,8}(?:code|status)|\bunexpected\b|\binvalid\b|[✗✘❌]|\bFAIL\b|fehler|erreur|ошибка|błąd|错误|失败|失敗|エラー|lỗi|gagal/i;
const harmless = /\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b|\bexit[\w ]*:? 0\b/gi;
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
    const line = startOf(text.slice(start, end), longestLine).trim();
    start = end + 1;
    if (line.length < 4 || !isErrorLine(line)) continue;
    const shape = line.replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#");
    if (seen.has(shape)) continue;
    seen.add(shape);
    lines.push(line);
  }
  return lines;
}
