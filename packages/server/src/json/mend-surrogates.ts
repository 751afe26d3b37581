import { setImmediate as nextTurn } from "node:timers/promises";
import { allocateBytes } from "./allocate-bytes.ts";

const backslash = 0x5c;
const u = 0x75;
const d = 0x64;
const f = 0x66;
const onFoot = 24;
/** How much is searched at a time, which takes a few milliseconds. */
const sliceBytes = 1024 * 1024;

/**
 * Half of a surrogate pair, written as `\ud83d` without the other half, is valid JSON but not valid text: providers
 * refuse every later request of a conversation that contains one. Each becomes `\ufffd`, which has the same length, so
 * that every other byte stays in place. Resolves with the same bytes when there is nothing to mend.
 */
export async function mendSurrogates(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
  let mended: Buffer | undefined;
  const mend = (at: number) => {
    if (mended === undefined) {
      mended = allocateBytes(bytes.length);
      mended.set(bytes);
    }
    // Byte by byte: a call into the engine for each of five million of them takes seconds.
    mended[at + 2] = f;
    mended[at + 3] = f;
    mended[at + 4] = f;
    mended[at + 5] = d;
  };
  for (let at = 0; at < bytes.length; ) {
    if (at > 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    at = walk(bytes, at, Math.min(bytes.length, at + sliceBytes), mend);
  }
  return mended ?? bytes;
}

/** Goes from escape to escape, so that none is taken for another; returns where it stopped, at or after `end`. */
function walk(bytes: Uint8Array, start: number, end: number, onHalf: (at: number) => void): number {
  let at = start;
  let plain = 0;
  while (at < end) {
    if (bytes[at] !== backslash) {
      at += 1;
      // In most texts the next one is far away, and the engine finds it a hundred times faster.
      if (++plain < onFoot) continue;
      plain = 0;
      const next = bytes.indexOf(backslash, at);
      at = next === -1 ? bytes.length : next;
      continue;
    }
    plain = 0;
    const kind = surrogateAt(bytes, at);
    if (kind === "high" && surrogateAt(bytes, at + 6) === "low") at += 12;
    else if (kind !== undefined) {
      onHalf(at);
      at += 6;
    } else at += 2;
  }
  return at;
}

/** Which half of a character is written as an escape here, if one is. */
function surrogateAt(bytes: Uint8Array, at: number): "high" | "low" | undefined {
  if (bytes[at] !== backslash || bytes[at + 1] !== u || ((bytes[at + 2] ?? 0) | 0x20) !== d) return undefined;
  const third = hexAt(bytes, at + 3);
  if (third < 8 || hexAt(bytes, at + 4) === -1 || hexAt(bytes, at + 5) === -1) return undefined;
  return third < 12 ? "high" : "low";
}

function hexAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
