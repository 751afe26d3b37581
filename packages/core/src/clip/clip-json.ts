import type { TokenCounter } from "../tokens/token-counter.ts";

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

const levels: readonly Level[] = [
  { chars: 4000, items: 64, keys: 512, depth: 32 },
  { chars: 2000, items: 32, keys: 256, depth: 24 },
  { chars: 1000, items: 20, keys: 128, depth: 16 },
  { chars: 500, items: 12, keys: 96, depth: 12 },
  { chars: 250, items: 8, keys: 64, depth: 10 },
  { chars: 120, items: 5, keys: 48, depth: 8 },
  { chars: 80, items: 3, keys: 32, depth: 6 },
  { chars: 60, items: 2, keys: 24, depth: 5 },
  { chars: 40, items: 1, keys: 16, depth: 4 },
  { chars: 30, items: 1, keys: 8, depth: 2 },
];

/** Larger inputs are treated as text: parsing them would cost more memory than the clip is worth. */
const largestJson = 32 * 1024 * 1024;

/** The JSON text shortened to fit, still parseable; undefined when it is no JSON object or array, or nothing fits. */
export function clipJson(text: string, maxTokens: number, counter: TokenCounter, marker: string): string | undefined {
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
