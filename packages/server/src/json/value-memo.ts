import type { Range } from "./scan-object.ts";

/** Parses JSON values; bytes that were parsed before give the same object again. */
export interface ValueMemo {
  parse(bytes: Uint8Array, range: Range): unknown;
  /** What these bytes were parsed to before, if that is still known. */
  find(bytes: Uint8Array, range: Range): unknown;
  /** Takes what somebody else parsed these bytes to, and returns it. */
  keep(bytes: Uint8Array, range: Range, value: unknown): unknown;
}

interface Entry {
  /** Holds its bytes, from `start` on. */
  readonly slab: Buffer;
  readonly start: number;
  readonly length: number;
  readonly value: unknown;
}

/** Bytes of many short values stand in one buffer: thousands of small ones leave holes that the allocator keeps. */
const slabBytes = 256 * 1024;
const shortBytes = slabBytes / 8;

/** Smaller values are parsed faster than they are looked up. */
const minBytes = 32;
const edge = 96;
/** Values that begin and end the same share a bucket; beyond this many the oldest is dropped. */
const maxBucket = 8;
/** What an entry costs besides its bytes, which are there twice: as they came, and in the parsed value. */
const overhead = 600;

/**
 * A client sends its whole history again with every request. Here each message of it is parsed once: the same bytes
 * give the same frozen object, so that what is remembered about that object (its tokens, its hash) still holds. Found
 * by a hash of both ends and confirmed byte by byte. Bounded: what was not used for long is dropped.
 */
export function createValueMemo(maxBytes: number): ValueMemo {
  let young = new Map<number, Entry[]>();
  let old = new Map<number, Entry[]>();
  let youngBytes = 0;
  let slab: Buffer | undefined;
  let used = 0;

  const copyOf = (view: Buffer): Pick<Entry, "slab" | "start"> => {
    if (view.length > shortBytes) return { slab: ownCopy(view), start: 0 };
    if (slab === undefined || used + view.length > slabBytes) {
      slab = Buffer.allocUnsafeSlow(slabBytes);
      used = 0;
    }
    const start = used;
    used += view.copy(slab, start);
    return { slab, start };
  };
  const remember = (key: number, view: Buffer, value: unknown) => {
    const size = view.length * 2 + overhead;
    if (youngBytes + size > maxBytes / 2) {
      old = young;
      young = new Map();
      youngBytes = 0;
      // What is met again is copied anew, so that nothing keeps a buffer of the generation before.
      slab = undefined;
    }
    const entry: Entry = { ...copyOf(view), length: view.length, value };
    const bucket = young.get(key);
    if (bucket === undefined) young.set(key, [entry]);
    else {
      bucket.push(entry);
      // Its bytes still count: they stay in their buffer as long as the generation does.
      if (bucket.length > maxBucket) bucket.shift();
    }
    youngBytes += size;
  };
  const isRemembered = (view: Buffer) => {
    const isNested = view[0] === 0x7b || view[0] === 0x5b;
    return isNested && view.length >= minBytes && view.length * 2 + overhead <= maxBytes / 2;
  };
  const find = (view: Buffer, key: number): unknown => {
    const isSame = ({ slab: bytes, start, length }: Entry) =>
      length === view.length && view.compare(bytes, start, start + length) === 0;
    const met = young.get(key)?.find(isSame);
    if (met !== undefined) return met.value;
    const before = old.get(key)?.find(isSame);
    if (before !== undefined) remember(key, view, before.value);
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
      remember(key, view, value);
      return value;
    },
    find: (bytes, range) => {
      const view = viewOf(bytes, range);
      return isRemembered(view) ? find(view, hashEdges(view)) : undefined;
    },
    keep: (bytes, range, value) => {
      const view = viewOf(bytes, range);
      if (isRemembered(view)) remember(hashEdges(view), view, freeze(value));
      return value;
    },
  };
}

function viewOf(bytes: Uint8Array, { start, end }: Range): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
}

/** A small buffer from Node's shared pool would keep eight kilobytes of other requests in memory. */
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
  // A few bytes in between distinguish values that only differ there.
  const step = view.length >>> 4;
  for (let at = head; step > 0 && at < view.length; at += step)
    hash = Math.imul(hash ^ (view[at] as number), 0x01000193);
  return hash;
}

/** Several requests share these objects, so nobody may change them. */
function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
