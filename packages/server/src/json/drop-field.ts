import { scanObject } from "./scan-object.ts";

const comma = 0x2c;
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The same JSON object without one top-level field; all other bytes stay. */
export function dropField(bytes: Uint8Array, name: string): Uint8Array {
  const scanned = scanObject(bytes, { maxDepth: Number.POSITIVE_INFINITY });
  const field = typeof scanned === "string" ? undefined : scanned.fields.get(name);
  if (field === undefined) return bytes;
  let start = field.keyStart;
  let end = field.end;
  while (isSpace(bytes[end])) end++;
  if (bytes[end] === comma) end++;
  else {
    // The last field takes the comma before it along; the only field has none.
    let before = start - 1;
    while (isSpace(bytes[before])) before--;
    if (bytes[before] === comma) start = before;
    end = field.end;
  }
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
}
