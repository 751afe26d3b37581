import type { Range } from "./scan-object.ts";

/** Parses JSON values; bytes that were parsed before give the very same object again. */
export interface ValueMemo {
  parse(bytes: Uint8Array, range: Range): unknown;
  /** What these bytes were parsed to before, if that is still known. */
  find(bytes: Uint8Array, range: Range): unknown;
  /** Takes what somebody else parsed these bytes to, and returns it. */
  keep(bytes: Uint8Array, range: Range, value: unknown): unknown;
}

interface Entry {
  readonly raw: Buffer;
  readonly value: unknown;
}

/** Smaller values are parsed faster than they are looked up. */
const minBytes = 32;
const edge = 96;
/** Values that begin and end alike share a bucket; beyond this many the oldest is forgotten. */
const maxBucket = 8;
/** What an entry costs besides its bytes, which are there twice: as they came, and in the parsed value. */
const overhead = 600;

/**
 * A client sends its whole history again with every request. Here each message of it is parsed once: when the same bytes
 * come again, the same frozen object comes out, and whatever others remember about that object (its weight, its hash)
 * still holds. Found by a hash of both ends and confirmed byte by byte. Bounded: what was not met for long is dropped.
 */
export function createValueMemo(maxBytes: number): ValueMemo {
  let young = new Map<number, Entry[]>();
  let old = new Map<number, Entry[]>();
  let youngBytes = 0;

  const remember = (key: number, entry: Entry) => {
    const size = entry.raw.length * 2 + overhead;
    if (youngBytes + size > maxBytes / 2) {
      old = young;
      young = new Map();
      youngBytes = 0;
    }
    const bucket = young.get(key);
    if (bucket === undefined) young.set(key, [entry]);
    else {
      bucket.push(entry);
      if (bucket.length > maxBucket) youngBytes -= (bucket.shift()?.raw.length ?? 0) * 2 + overhead;
    }
    youngBytes += size;
  };
  const isRemembered = (view: Buffer) => {
    const isNested = view[0] === 0x7b || view[0] === 0x5b;
    return isNested && view.length >= minBytes && view.length * 2 + overhead <= maxBytes / 2;
  };
  const find = (view: Buffer, key: number): unknown => {
    const met = young.get(key)?.find(({ raw }) => raw.equals(view));
    if (met !== undefined) return met.value;
    const before = old.get(key)?.find(({ raw }) => raw.equals(view));
    if (before !== undefined) remember(key, before);
    return before?.value;
  };
  return {
    parse: (bytes, range) => {
      const view = viewOf(bytes, range);
      if (!isRemembered(view)) return JSON.parse(view.toString("utf8"));
      const key = hashEdges(view);
      const known = find(view, key);
      if (known !== undefined) return known;
      const value = freeze(JSON.parse(view.toString("utf8")));
      remember(key, { raw: ownCopy(view), value });
      return value;
    },
    find: (bytes, range) => {
      const view = viewOf(bytes, range);
      return isRemembered(view) ? find(view, hashEdges(view)) : undefined;
    },
    keep: (bytes, range, value) => {
      const view = viewOf(bytes, range);
      if (isRemembered(view)) remember(hashEdges(view), { raw: ownCopy(view), value: freeze(value) });
      return value;
    },
  };
}

function viewOf(bytes: Uint8Array, { start, end }: Range): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
}

/** A small buffer of Node's shared pool would keep eight kilobytes of other requests alive for as long as it is remembered. */
function ownCopy(view: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(view.length);
  view.copy(copy);
  return copy;
}

function hashEdges(view: Buffer): number {
  let hash = view.length | 0;
  const head = Math.min(edge, view.length);
  for (let at = 0; at < head; at++) hash = Math.imul(hash ^ (view[at] as number), 0x01000193);
  for (let at = Math.max(head, view.length - edge); at < view.length; at++) {
    hash = Math.imul(hash ^ (view[at] as number), 0x01000193);
  }
  // A few places in between tell apart what only differs there.
  const step = view.length >>> 4;
  for (let at = head; step > 0 && at < view.length; at += step)
    hash = Math.imul(hash ^ (view[at] as number), 0x01000193);
  return hash;
}

/** What several requests share, nobody may change. */
function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
