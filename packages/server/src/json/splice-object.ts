import type { Range, ScannedObject } from "./scan-object.ts";

/** A new value for a top-level field: pieces of bytes or text, written one after the other. `undefined` removes nothing. */
export type FieldPieces = readonly (Uint8Array | string)[];

/**
 * The same JSON object, in pieces, with some top-level values replaced, or added at the end when absent. All other bytes
 * are the ones that were there, not written anew.
 */
export function spliceObject(
  bytes: Uint8Array,
  scanned: ScannedObject,
  changes: ReadonlyMap<string, FieldPieces>,
): Uint8Array[] {
  const replaced: { readonly range: Range; readonly pieces: FieldPieces }[] = [];
  const added: { readonly key: string; readonly pieces: FieldPieces }[] = [];
  for (const [key, pieces] of changes) {
    const range = scanned.fields.get(key);
    if (range === undefined) added.push({ key, pieces });
    else replaced.push({ range, pieces });
  }
  replaced.sort((left, right) => left.range.start - right.range.start);
  const out: Uint8Array[] = [];
  const push = (piece: Uint8Array | string) => out.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  let at = 0;
  for (const { range, pieces } of replaced) {
    out.push(bytes.subarray(at, range.start));
    for (const piece of pieces) push(piece);
    at = range.end;
  }
  if (added.length === 0) {
    out.push(bytes.subarray(at));
    return out;
  }
  out.push(bytes.subarray(at, scanned.end - 1));
  let separator = scanned.fields.size === 0 ? "" : ",";
  for (const { key, pieces } of added) {
    push(`${separator}${JSON.stringify(key)}:`);
    for (const piece of pieces) push(piece);
    separator = ",";
  }
  push("}");
  return out;
}
