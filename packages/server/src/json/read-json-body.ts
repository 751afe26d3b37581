import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isMidfoldError, MidfoldError } from "@midfold/core";
import { mendSurrogates } from "./mend-surrogates.ts";
import { type Range, type ScannedObject, scanElements, scanObject } from "./scan-object.ts";
import type { ValueMemo } from "./value-memo.ts";

export interface JsonBody {
  /** As they were received. */
  readonly bytes: Uint8Array;
  /** True when the value was changed after parsing. */
  readonly edited?: true;
  readonly value: Readonly<Record<string, unknown>>;
  readonly scanned: ScannedObject;
}

export interface ReadJsonOptions {
  readonly maxDepth: number;
  readonly maxValues?: number;
  readonly maxElements?: number;
  /** Nothing more is read when it aborts. */
  readonly signal?: AbortSignal;
  readonly elementsOf?: string;
  readonly memo: ValueMemo;
  /** Parses long values in other threads. Without it everything is parsed here. */
  readonly elsewhere?: ParseElsewhere;
}

/** `JSON.parse` in another thread. */
export interface ParseElsewhere {
  /** Rejects when the bytes are no JSON. */
  parse(bytes: Uint8Array): Promise<unknown>;
  /** Where `JSON.parse` fails; undefined when the bytes are JSON. */
  explain(bytes: Uint8Array): Promise<JsonFault | undefined>;
}

/** Where a text stops being JSON, or what it is instead of an object. */
export type JsonFault = { readonly position: number | undefined } | { readonly insteadOfObject: string };

/** How long reading may block the event loop at a time, as far as single values allow. */
const sliceMs = 10;
/** Shorter texts are read in less time. */
const shortBytes = 512 * 1024;
/** A single value longer than this takes more than a slice to parse. */
const longBytes = 2 * 1024 * 1024;

/**
 * A request body as a JSON object, with the places of its fields. Rejects with the 400 a client can act on. Long ones are
 * read in slices, with other requests between them.
 */
export async function readJsonBody(received: Uint8Array, options: ReadJsonOptions): Promise<JsonBody> {
  if (!isUtf8(received)) {
    throw new MidfoldError("INVALID_ENCODING", "The request body is not valid UTF-8. Nothing was sent.");
  }
  const bytes = await mendSurrogates(received, options.signal);
  const scanned = scanObject(bytes, options);
  if (scanned === "too-many-values" || scanned === "too-many-elements") throw tooMany(scanned, options);
  if (scanned === "too-deep") {
    throw new MidfoldError("VALIDATION_ERROR", `The request body is nested deeper than ${options.maxDepth} levels.`);
  }
  if (typeof scanned === "string") throw await invalidJson(bytes, options);
  return { bytes, value: await assemble(bytes, scanned, options), scanned };
}

function tooMany(failure: "too-many-values" | "too-many-elements", options: ReadJsonOptions): MidfoldError {
  const [what, most] =
    failure === "too-many-values"
      ? ["values", options.maxValues]
      : [options.elementsOf ?? "elements", options.maxElements];
  return new MidfoldError("BODY_TOO_LARGE", `The request has more than the ${most} ${what} this server takes.`, {
    details: { what, most },
  });
}

/**
 * Shorter texts are parsed in less time than their messages are looked up; and remembering them would fill the memory
 * with values that are collected again a moment later, which takes more time than everything else here.
 */
const parsedWholeBytes = 4 * 1024;

/** Parses field by field, and the long list element by element: most of them were parsed before. */
async function assemble(
  bytes: Uint8Array,
  scanned: ScannedObject,
  options: ReadJsonOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { memo } = options;
  const value: Record<string, unknown> = {};
  try {
    if (bytes.byteLength < parsedWholeBytes)
      return parseHere(bytes, { start: 0, end: bytes.byteLength }) as typeof value;
    for (const [key, range] of scanned.fields) {
      const list = key === options.elementsOf ? scanned.elements : undefined;
      const parsed =
        list !== undefined
          ? await parseAll(bytes, list, options)
          : isLong(range)
            ? await parseLong(bytes, range, options)
            : memo.parse(bytes, range);
      setField(value, key, parsed);
    }
    return value;
  } catch (error) {
    // A limit, or a client that disconnected, is not a fault of the text.
    if (options.signal?.aborted === true || isMidfoldError(error)) throw error;
    throw await invalidJson(bytes, options);
  }
}

async function parseAll(bytes: Uint8Array, elements: readonly Range[], options: ReadJsonOptions): Promise<unknown[]> {
  const { memo } = options;
  if (bytes.byteLength < shortBytes) return elements.map((element) => memo.parse(bytes, element));
  return parseEach(elements, options, (element) =>
    isLong(element) ? parseLong(bytes, element, options) : memo.parse(bytes, element),
  );
}

/** One after the other, with other requests between the slices. */
async function parseEach<TEntry>(
  entries: Iterable<TEntry>,
  { signal }: ReadJsonOptions,
  parse: (entry: TEntry) => unknown,
): Promise<unknown[]> {
  const parsed: unknown[] = [];
  let until = performance.now() + sliceMs;
  for (const entry of entries) {
    const value = parse(entry);
    parsed.push(value instanceof Promise ? await value : value);
    if (performance.now() < until) continue;
    await nextTurn();
    signal?.throwIfAborted();
    until = performance.now() + sliceMs;
  }
  return parsed;
}

const isLong = ({ start, end }: Range) => end - start >= longBytes;

async function parseLong(bytes: Uint8Array, range: Range, options: ReadJsonOptions): Promise<unknown> {
  const { memo, elsewhere } = options;
  if (elsewhere === undefined) return memo.parse(bytes, range);
  return memo.find(bytes, range) ?? memo.keep(bytes, range, await parsePieces(bytes, range, options, mostLevels));
}

/** A message, its parts, a part, the list in it and its items. Each level is scanned once more for its pieces. */
const mostLevels = 5;

/**
 * Parses a long value piece by piece. One long text is quickly moved between threads, but forty thousand short ones
 * block the event loop longer than parsing them here in slices.
 */
async function parsePieces(
  bytes: Uint8Array,
  range: Range,
  options: ReadJsonOptions,
  levels: number,
): Promise<unknown> {
  const view = bytes.subarray(range.start, range.end);
  const parse = (piece: Range) =>
    isLong(piece) ? parsePieces(view, piece, options, levels - 1) : parseHere(view, piece);
  const elements = levels === 0 ? undefined : scanElements(view, 0);
  if (elements !== undefined) return parseEach(elements, options, parse);
  const scanned = levels === 0 ? undefined : scanObject(view, { maxDepth: Infinity });
  if (scanned === undefined || typeof scanned === "string") return options.elsewhere?.parse(view);
  await nextTurn();
  const values = await parseEach(scanned.fields.values(), options, parse);
  const value = {};
  let index = 0;
  for (const key of scanned.fields.keys()) setField(value, key, values[index++]);
  return value;
}

function parseHere(bytes: Uint8Array, { start, end }: Range): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8"));
}

function setField(value: Record<string, unknown>, key: string, parsed: unknown): void {
  // Assigning to this one key would change the object's prototype.
  if (key === "__proto__")
    Object.defineProperty(value, key, { value: parsed, enumerable: true, configurable: true, writable: true });
  else value[key] = parsed;
}

/** The whole text tells the position of its fault. */
async function invalidJson(bytes: Uint8Array, { elsewhere }: ReadJsonOptions): Promise<MidfoldError> {
  if (bytes.byteLength === 0) return invalid("The request body is empty; it must be a JSON object.");
  const beside = elsewhere !== undefined && bytes.byteLength >= longBytes;
  const fault = beside ? await elsewhere.explain(bytes) : explainJson(bytes);
  if (fault === undefined) return invalid("The request body is not valid JSON.");
  if ("insteadOfObject" in fault)
    return invalid(`The request body must be a JSON object, not ${fault.insteadOfObject}.`);
  const { position } = fault;
  return position === undefined
    ? invalid("The request body is not valid JSON.")
    : invalid(`The request body is not valid JSON: see position ${position}.`, { position });
}

function invalid(message: string, details: Record<string, unknown> = {}): MidfoldError {
  return new MidfoldError("VALIDATION_ERROR", message, { details });
}

/**
 * Where `JSON.parse` fails on these bytes. V8 quotes the text around the fault; only its position may leave the server.
 */
export function explainJson(bytes: Uint8Array): JsonFault | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    return { position: position === undefined ? undefined : Number(position) };
  }
  if (Array.isArray(value)) return { insteadOfObject: "an array" };
  if (value === null) return { insteadOfObject: "null" };
  return typeof value === "object" ? undefined : { insteadOfObject: `a ${typeof value}` };
}
