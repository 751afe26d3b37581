/**
 * Finds where the values of a JSON object are, without reading them: the byte range of every top-level value, and of the
 * elements of one array among them. It lets a request be changed in one place while every other byte stays as the client
 * wrote it: numbers beyond 2^53, duplicate keys, spacing and all.
 *
 * It trusts nothing but checks only structure; the values themselves are checked when they are parsed.
 */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where a field's value is, and where its key begins. */
export interface FieldRange extends Range {
  readonly keyStart: number;
}

export interface ScannedObject {
  /** The last one wins when a key is repeated, as in `JSON.parse`. */
  readonly fields: ReadonlyMap<string, FieldRange>;
  /** Elements of the array named in the options. */
  readonly elements: readonly Range[] | undefined;
  readonly end: number;
}

export interface ScanOptions {
  readonly maxDepth: number;
  /** Values that the whole text may have, at any depth. Counted by what separates them, so never too few. */
  readonly maxValues?: number;
  readonly maxElements?: number;
  /** The field whose elements are wanted, when it is an array. */
  readonly elementsOf?: string;
}

export type ScanFailure = "not-an-object" | "malformed" | "too-deep" | "too-many-values" | "too-many-elements";

/** How many more values and elements may come. */
interface Room {
  values: number;
  elements: number;
}

const malformed = -1;
const tooDeep = -2;
const tooManyValues = -3;
const tooManyElements = -4;

function failureOf(code: number): ScanFailure {
  if (code === tooDeep) return "too-deep";
  if (code === tooManyValues) return "too-many-values";
  return code === tooManyElements ? "too-many-elements" : "malformed";
}

/** No request has as many fields at its top, which are parsed one by one. */
const maxFields = 2_000;
const onFoot = 64;
const longestWalk = 64 * 1024;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

export function scanObject(bytes: Uint8Array, options: ScanOptions): ScannedObject | ScanFailure {
  const { maxDepth } = options;
  const room: Room = { values: options.maxValues ?? Infinity, elements: options.maxElements ?? Infinity };
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== openBrace) return "not-an-object";
  at = skipSpace(bytes, at + 1);
  const fields = new Map<string, FieldRange>();
  let elements: Range[] | undefined;
  if (bytes[at] === closeBrace) return finish(bytes, at + 1, fields, elements);
  for (;;) {
    if (bytes[at] !== quote) return "malformed";
    const keyStart = at;
    const keyEnd = skipString(bytes, at);
    if (keyEnd === -1) return "malformed";
    const key = readKey(bytes, at, keyEnd);
    if (key === undefined) return "malformed";
    at = skipSpace(bytes, keyEnd);
    if (bytes[at] !== colon) return "malformed";
    const start = skipSpace(bytes, at + 1);
    if (key === options.elementsOf) {
      elements = bytes[start] === openBracket ? [] : undefined;
      if (elements !== undefined && maxDepth < 2) return "too-deep";
    }
    const end =
      key === options.elementsOf && elements !== undefined
        ? skipElements(bytes, start, maxDepth - 1, elements, room)
        : skipValue(bytes, start, maxDepth - 1, room);
    if (end < 0) return failureOf(end);
    if (--room.values < 0 || fields.size > maxFields) return "too-many-values";
    fields.set(key, { keyStart, start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === closeBrace) return finish(bytes, at + 1, fields, elements);
    if (bytes[at] !== comma) return "malformed";
    at = skipSpace(bytes, at + 1);
  }
}

/** Where the elements of the array at `start` are; undefined when it is none. */
export function scanElements(bytes: Uint8Array, start: number): Range[] | undefined {
  const elements: Range[] = [];
  if (bytes[start] !== openBracket) return undefined;
  const end = skipElements(bytes, start, Infinity, elements, { values: Infinity, elements: Infinity });
  return end < 0 ? undefined : elements;
}

function finish(
  bytes: Uint8Array,
  end: number,
  fields: ReadonlyMap<string, FieldRange>,
  elements: readonly Range[] | undefined,
): ScannedObject | ScanFailure {
  return skipSpace(bytes, end) === bytes.length ? { fields, elements, end } : "malformed";
}

function readKey(bytes: Uint8Array, start: number, end: number): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

function skipSpace(bytes: Uint8Array, at: number): number {
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** The index after the closing quote, or -1. */
function skipString(bytes: Uint8Array, at: number): number {
  const { length } = bytes;
  let steps = onFoot;
  at++;
  while (at < length) {
    // Most strings are short, and in some every tenth byte is escaped: looking at the first bytes one by one is fastest.
    for (const near = Math.min(length, at + steps); at < near; ) {
      const byte = bytes[at];
      if (byte === quote) return at + 1;
      at += byte === backslash ? 2 : 1;
    }
    // Long ones are searched for their end by the engine, a hundred times faster.
    const end = bytes.indexOf(quote, at);
    if (end === -1) return -1;
    let escapes = 0;
    while (end - 1 - escapes >= at && bytes[end - 1 - escapes] === backslash) escapes++;
    // Where quotes stand close together, asking the engine for each costs more than walking.
    steps = end - at < steps ? Math.min(steps * 2, longestWalk) : onFoot;
    at = end + 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

/** The index after the value, or the code of a failure, which is negative. */
function skipValue(bytes: Uint8Array, at: number, maxDepth: number, room: Room): number {
  const first = bytes[at];
  if (first === quote) return skipString(bytes, at);
  if (first === openBrace || first === openBracket) return skipNested(bytes, at, maxDepth, room);
  const start = at;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) break;
  }
  return at > start ? at : malformed;
}

function skipNested(bytes: Uint8Array, at: number, maxDepth: number, room: Room): number {
  const { length } = bytes;
  let depth = 0;
  while (at < length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = skipString(bytes, at);
      if (at === -1) return -1;
      continue;
    }
    if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) return tooDeep;
      if (--room.values < 0) return tooManyValues;
    } else if (byte === comma) {
      if (--room.values < 0) return tooManyValues;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (--depth === 0) return at + 1;
    }
    at++;
  }
  return -1;
}

function skipElements(bytes: Uint8Array, at: number, maxDepth: number, elements: Range[], room: Room): number {
  elements.length = 0;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === closeBracket) return at + 1;
  for (;;) {
    const end = skipValue(bytes, at, maxDepth - 1, room);
    if (end < 0) return end;
    if (--room.values < 0) return tooManyValues;
    if (elements.length >= room.elements) return tooManyElements;
    elements.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === closeBracket) return at + 1;
    if (bytes[at] !== comma) return -1;
    at = skipSpace(bytes, at + 1);
  }
}
