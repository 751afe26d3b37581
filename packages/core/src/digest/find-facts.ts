import type { FactKind, Speaker } from "./fact.ts";
import { type Emit, scanFacts } from "./scan-facts.ts";
import type { Source } from "./sources.ts";
import { expectedUse } from "./weights.ts";

/** An exact thing (identifier, path, number, JSON value …), once, with where it stands and how it was used so far. */
export interface FoundFact {
  readonly text: string;
  kind: FactKind;
  count: number;
  /** Who had it first. */
  readonly by: Speaker;
  /** First and last message that has it. */
  readonly first: number;
  last: number;
  /** Who had it, as a set of bits: user 1, assistant 2, call 4, result 8. */
  seen: number;
  /** How many calls had it in their arguments. */
  calls: number;
  /** The JSON key it stood under, where there was one. */
  key: string | undefined;
  /** Where it is quoted from. */
  source: number;
  start: number;
  end: number;
  /** Estimated chance that something later refers to it. */
  use: number;
}

/** A place that has an exact thing. */
export interface Mention {
  readonly fact: FoundFact;
  readonly source: number;
  readonly start: number;
  readonly end: number;
}

export interface FoundFacts {
  /** By source, then by place. */
  readonly facts: FoundFact[];
  readonly mentions: readonly Mention[];
  /** What each chance was estimated from, for `scripts/train-weights.ts`. */
  readonly features: readonly (readonly number[])[];
}

/** Finds things in a text that somebody wrote. */
export type ScanText = (text: string, emit: Emit) => void;

/** Longer texts are read at both ends: their middle is bulk. */
const longestText = 200_000;
/** The words of a name are weighed with their clause. As exact things, capitalised words crowded out ids and prices. */
const nameWorth = 0.1;
const mostPerSource = 4000;
/** What a first message of so many characters names is what it asks for; a longer one is a prompt with a pasted issue. */
const longestRequest = 2000;

export const seenBy = { user: 1, assistant: 2, call: 4, result: 8 } as const;

/**
 * The exact things in a stretch of conversation, each once, with the chance that it is needed later. Linear in the
 * length of the text. What is known, since it stays in the conversation anyway, need not be found. `scanText` finds more
 * in what people say.
 */
export function findFacts(
  sources: readonly Source[],
  messages: number,
  known = (_text: string) => false,
  scanText?: ScanText,
): FoundFacts {
  const facts = new Map<string, FoundFact>();
  const use: CallUse = { keys: new Set(), shapes: new Map() };
  const mentions: Mention[] = [];
  for (let at = 0; at < sources.length; at++) readSource(sources, at, facts, use, mentions, scanText);
  const found = [...facts.values()].filter(({ text }) => !known(text));
  found.sort((a, b) => a.source - b.source || a.start - b.start || b.end - a.end);
  const pool = new Map<string, number>();
  for (const fact of found) count(pool, shapeOf(fact.text));
  const opening = sources.reduce((sum, { message, text }) => sum + (message === 0 ? text.length : 0), 0);
  const requested = opening <= longestRequest;
  const features = found.map((fact) => featuresOf(fact, messages, use, pool, requested));
  const withCalls = sources.some((source) => source.kind === "call" || (source.carried && source.kind === "result"));
  found.forEach((fact, index) => {
    fact.use =
      expectedUse(features[index]!, kinds.indexOf(fact.kind), withCalls) * (fact.kind === "name" ? nameWorth : 1);
  });
  mentions.sort((a, b) => a.source - b.source || a.start - b.start || b.end - a.end);
  return { facts: found, mentions, features };
}

/** What the arguments of calls looked like: values of the same key or the same shape are likely to be passed again. */
interface CallUse {
  readonly keys: Set<string>;
  readonly shapes: Map<string, number>;
}

function readSource(
  sources: readonly Source[],
  at: number,
  facts: Map<string, FoundFact>,
  use: CallUse,
  mentions: Mention[],
  scanText: ScanText | undefined,
): void {
  const source = sources[at]!;
  const bit =
    source.kind === "call"
      ? seenBy.call
      : source.kind === "result" || source.kind === "block"
        ? seenBy.result
        : seenBy[source.by === "user" ? "user" : "assistant"];
  let room = mostPerSource;
  const note = (kind: FactKind, start: number, end: number, key?: string) => {
    const value = source.text.slice(start, end);
    const before = facts.get(value);
    if (before === undefined && room-- <= 0) return;
    const known: FoundFact = before ?? {
      text: value,
      kind,
      by: source.by,
      count: 0,
      first: source.message,
      last: source.message,
      seen: 0,
      calls: 0,
      key,
      source: at,
      start,
      end,
      use: 0,
    };
    facts.set(value, known);
    mentions.push({ fact: known, source: at, start, end });
    known.count++;
    known.seen |= bit;
    if (bit === seenBy.call) {
      known.calls++;
      count(use.shapes, shapeOf(value));
    }
    if (known.kind === "value" && kind !== "value") known.kind = kind;
    // Quoted from where it was found, not from where it was passed on: there its neighbours explain it.
    const home = sources[known.source]!.kind;
    if (known.source !== at && (home === "call" || (home === "text" && bit === seenBy.result))) {
      known.source = at;
      known.start = start;
      known.end = end;
      if (key !== undefined) known.key = key;
    }
    known.key ??= key;
    known.last = source.message;
  };
  for (const [from, to] of windowsOf(source.text)) {
    const text = from === 0 && to === source.text.length ? source.text : source.text.slice(from, to);
    scanFacts(
      text,
      (kind, start, end) => {
        if (end - start < 2 || isLineNumber(text, start, end)) return;
        note(kind, from + start, from + end);
      },
      { names: source.kind === "text" },
    );
    if (source.kind === "text") scanText?.(text, (kind, start, end) => note(kind, from + start, from + end));
    else {
      scanValues(text, (start, end, key) => {
        if (source.kind === "call" && key !== undefined) use.keys.add(key);
        note("value", from + start, from + end, key);
      });
    }
  }
}

/** `57→func`, `  12\tconst`: the numbers of a listing name nothing. */
function isLineNumber(text: string, start: number, end: number): boolean {
  return "→\t|".includes(text[end] ?? " ") && /(?:^|\n) *\d+$/.test(text.slice(Math.max(0, start - 20), end));
}

const longestValue = 80;

/** Values of JSON keys, `"key": "value"` or `"key": 12`, also inside an escaped string. */
function scanValues(text: string, emit: (start: number, end: number, key: string | undefined) => void): void {
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) {
    const escaped = text[at - 1] === "\\";
    const keyEnd = escaped ? at - 1 : at;
    const before = text.slice(Math.max(0, keyEnd - 41), keyEnd);
    const quote = before.lastIndexOf('"');
    const key = quote === -1 || quote === before.length - 1 ? undefined : before.slice(quote + 1);
    let start = at + 2;
    while (text[start] === " ") start++;
    const code = text.charCodeAt(start);
    if (code === 34 || (code === 92 && text[start + 1] === '"')) {
      start += code === 34 ? 1 : 2;
      const value = text.slice(start, start + longestValue + 2);
      const close = value.indexOf(escaped ? '\\"' : '"');
      if (close > 0 && !value.slice(0, close).includes("\n")) emit(start, start + close, key);
    } else if ((code >= 48 && code <= 57) || code === 45) {
      let end = start + 1;
      while (end < text.length && "0123456789.eE+-".includes(text[end]!)) end++;
      if (end - start >= 2) emit(start, end, key);
    }
  }
}

/** Letters and digits by kind, runs as one: `HAT170` and `HAT235` have the same shape. */
export function shapeOf(value: string): string {
  let shape = "";
  let last = "";
  for (let i = 0; i < value.length && i < 40; i++) {
    const code = value.charCodeAt(i);
    const kind =
      code >= 48 && code <= 57
        ? "0"
        : code >= 97 && code <= 122
          ? "a"
          : code >= 65 && code <= 90
            ? "A"
            : code === 32
              ? " "
              : value[i]!;
    if (kind !== last) shape += kind;
    last = kind;
  }
  return shape;
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

function windowsOf(text: string): readonly (readonly [number, number])[] {
  if (text.length <= longestText) return [[0, text.length]];
  const half = longestText / 2;
  return [
    [0, half],
    [text.length - half, text.length],
  ];
}

/** What the chance of later use is estimated from, beside its kind; the order is that of `weights.ts`. */
export function featuresOf(
  fact: FoundFact,
  messages: number,
  use: CallUse,
  pool: Map<string, number>,
  requested: boolean,
): number[] {
  const { text, key, count, first, last, seen, calls } = fact;
  const shape = use.shapes.get(shapeOf(text)) ?? 0;
  const alike = pool.get(shapeOf(text)) ?? 1;
  return [
    1,
    Math.log2(count),
    Math.log2(messages - last),
    Number((seen & seenBy.user) > 0),
    Number((seen & seenBy.assistant) > 0),
    Number(calls > 0),
    Math.log2(1 + calls),
    Number(key !== undefined && use.keys.has(key)),
    Math.log2(text.length),
    Number(requested && first === 0),
    Number(key !== undefined && /(?:^|[_.])ids?$|Ids?$/.test(key)),
    Number(seen === seenBy.result),
    Number(/^\d{1,2}$/.test(text)),
    Number(/^\d{3,5}$/.test(text)),
    Math.log2(alike),
    Math.log2((shape + 0.2) / (alike + 0.2)),
    Number((seen & seenBy.assistant) > 0 && !(seen & seenBy.call)),
    Number(first === last),
  ];
}

export const kinds: readonly FactKind[] = [
  "identifier",
  "path",
  "url",
  "email",
  "phone",
  "money",
  "date",
  "number",
  "symbol",
  "name",
  "value",
  "command",
];
