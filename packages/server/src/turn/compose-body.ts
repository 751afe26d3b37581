import type { RequestBody } from "@midfold/wire";
import { dropField } from "../json/drop-field.ts";
import type { JsonBody } from "../json/read-json-body.ts";
import { type FieldPieces, spliceObject } from "../json/splice-object.ts";
import type { Turn } from "./turn.ts";

export interface BodyChanges {
  /** Undefined: the message list stays. */
  readonly messages: readonly unknown[] | undefined;
  /** Undefined: the limit on the answer stays. */
  readonly maxOutput: number | undefined;
}

/** The request as an object with its changes, for translation. */
export function changedValue(turn: Turn, changes: BodyChanges): Readonly<Record<string, unknown>> {
  const access = turn.protocol.body;
  let value: unknown = turn.body.value;
  if (changes.messages !== undefined) value = access.withMessages(value, changes.messages);
  if (changes.maxOutput !== undefined) value = access.withMaxOutput(value, changes.maxOutput);
  const { model } = turn.destination;
  const fields = value as Readonly<Record<string, unknown>>;
  return fields[access.fields.model] === model ? fields : { ...fields, [access.fields.model]: model };
}

/** Shorter bodies are sent in one piece: copying them together costs less than sending pieces. */
const minPieces = 64 * 1024;

/** The bytes to send to an upstream of the same protocol: the client's own, but for what had to change. */
export function composeBody(turn: Turn, changes: BodyChanges, without: string | undefined): RequestBody {
  const next = mended(turn, changes);
  const { body, protocol } = turn;
  const gone = next === body.value ? [] : Object.keys(body.value).filter((name) => !Object.hasOwn(next, name));
  if (without !== undefined) gone.push(without);
  if (next === body.value && gone.length === 0) return body.bytes;
  const pieces = new Map<string, FieldPieces>();
  const list = protocol.body.fields.messages;
  for (const name in next) {
    const value = next[name];
    if (value === body.value[name]) continue;
    pieces.set(name, name === list && Array.isArray(value) ? listPieces(body, list, value) : [JSON.stringify(value)]);
  }
  const spliced = spliceObject(body.bytes, body.scanned, pieces);
  if (gone.length === 0 && body.bytes.byteLength >= minPieces) return spliced;
  return gone.reduce<Uint8Array>((bytes, name) => dropField(bytes, name), Buffer.concat(spliced));
}

/** A request that passes as it came is the client's own business; one that a fold or our own thoughts are in is ours. */
function mended(turn: Turn, changes: BodyChanges): Readonly<Record<string, unknown>> {
  const value = changedValue(turn, changes);
  const { mend } = turn.protocol.body;
  if (mend === undefined || (changes.messages === undefined && !turn.signed)) return value;
  return mend(value) as Readonly<Record<string, unknown>>;
}

/** Messages the fold left alone go out as the bytes they came in as. */
function listPieces(body: JsonBody, field: string, messages: readonly unknown[]): FieldPieces {
  const original = body.value[field];
  const ranges = body.scanned.elements;
  const places = new Map<unknown, number>();
  if (Array.isArray(original) && ranges?.length === original.length) {
    for (const [index, message] of original.entries()) {
      if (typeof message === "object" && message !== null) places.set(message, index);
    }
  }
  const pieces: (Uint8Array | string)[] = ["["];
  for (let index = 0; index < messages.length; index++) {
    if (index > 0) pieces.push(",");
    const place = places.get(messages[index]);
    const range = place === undefined ? undefined : ranges?.[place];
    if (range === undefined) pieces.push(JSON.stringify(messages[index]));
    else {
      // Neighbours that stayed neighbours are one copy, with whatever spacing was between them.
      let last = place as number;
      while (index + 1 < messages.length && places.get(messages[index + 1]) === last + 1) {
        last += 1;
        index += 1;
      }
      pieces.push(body.bytes.subarray(range.start, ranges?.[last]?.end));
    }
  }
  pieces.push("]");
  return pieces;
}
