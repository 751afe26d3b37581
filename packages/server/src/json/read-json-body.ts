import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import { MidfoldError } from "@midfold/core";
import { mendSurrogates } from "./mend-surrogates.ts";
import { type Range, type ScannedObject, scanObject } from "./scan-object.ts";
import type { ValueMemo } from "./value-memo.ts";

export interface JsonBody {
  /** As they were received. */
  readonly bytes: Uint8Array;
  /** The value is no longer what the bytes say. */
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
}

/** How long reading may hold the event loop at a stretch, as far as single values allow. */
const sliceMs = 10;
/** Shorter texts are read in less time. */
const shortBytes = 512 * 1024;

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
  if (typeof scanned === "string") throw new MidfoldError("VALIDATION_ERROR", describeFailure(scanned, bytes, options));
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

/** Parses field by field, and the long list element by element: most of them were parsed before. */
async function assemble(
  bytes: Uint8Array,
  scanned: ScannedObject,
  options: ReadJsonOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { memo } = options;
  const value: Record<string, unknown> = {};
  try {
    for (const [key, range] of scanned.fields) {
      const list = key === options.elementsOf ? scanned.elements : undefined;
      const parsed = list === undefined ? memo.parse(bytes, range) : await parseAll(bytes, list, options);
      // Assigned, this one key would change the object instead of its content.
      if (key === "__proto__") Object.defineProperty(value, key, { value: parsed, enumerable: true });
      else value[key] = parsed;
    }
    return value;
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    // The whole text tells the position; this throws.
    parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
    throw new MidfoldError("VALIDATION_ERROR", "The request body is not valid JSON.");
  }
}

async function parseAll(
  bytes: Uint8Array,
  elements: readonly Range[],
  { memo, signal }: ReadJsonOptions,
): Promise<unknown[]> {
  if (bytes.byteLength < shortBytes) return elements.map((element) => memo.parse(bytes, element));
  const parsed: unknown[] = [];
  let until = performance.now() + sliceMs;
  for (const element of elements) {
    parsed.push(memo.parse(bytes, element));
    if (performance.now() < until) continue;
    await nextTurn();
    signal?.throwIfAborted();
    until = performance.now() + sliceMs;
  }
  return parsed;
}

function describeFailure(failure: string, bytes: Uint8Array, options: ReadJsonOptions): string {
  if (failure === "too-deep") return `The request body is nested deeper than ${options.maxDepth} levels.`;
  if (bytes.byteLength === 0) return "The request body is empty; it must be a JSON object.";
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const value = failure === "not-an-object" ? parse(text) : undefined;
  if (value !== undefined) {
    return `The request body must be a JSON object, not ${Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`}.`;
  }
  parse(text);
  return "The request body is not valid JSON.";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text around the fault; only its position may leave the server.
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `The request body is not valid JSON${position === undefined ? "" : `: see position ${position}`}.`,
      position === undefined ? {} : { details: { position: Number(position) } },
    );
  }
}
