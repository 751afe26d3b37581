import { setImmediate as nextTurn } from "node:timers/promises";

const lowEscape = /^\\ud[c-f][0-9a-f]{2}$/i;
const surrogateEscape = /^ud[89a-f][0-9a-f]{2}$/i;
const highEscape = /^ud[89ab]/i;
const backslash = 0x5c;
/** How much is searched at a stretch: a few milliseconds, whatever is in it. */
const sliceBytes = 1024 * 1024;

/**
 * Half characters, written as `\ud83d` without the other half, are valid JSON but no valid text: providers refuse them,
 * and a conversation that holds one is refused for ever after. Each becomes `\ufffd`, which is as long, so that every
 * other byte stays where it is. Resolves with the same bytes when there is nothing to mend.
 */
export async function mendSurrogates(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let mended: Buffer | undefined;
  for (let start = 0; start < view.length; start += sliceBytes) {
    if (start > 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    for (const at of halvesIn(view, start, Math.min(view.length, start + sliceBytes))) {
      mended ??= Buffer.from(view);
      mended.write("fffd", at + 2, "latin1");
    }
  }
  return mended ?? bytes;
}

/** Where escapes of half characters begin between two places. */
function* halvesIn(view: Buffer, start: number, end: number): Generator<number> {
  // What begins here may end a little further on.
  const slice = view.subarray(start, end + 2);
  if (!slice.includes("\\ud") && !slice.includes("\\uD")) return;
  // Latin-1 keeps one character per byte; escapes are ASCII.
  for (const { index } of slice.toString("latin1").matchAll(/\\u[dD]/g)) {
    const at = start + index;
    const code = textAt(view, at + 1, 5);
    if (at >= end || !surrogateEscape.test(code) || isEscaped(view, at)) continue;
    if (highEscape.test(code) && lowEscape.test(textAt(view, at + 6, 6))) continue;
    const before = textAt(view, at - 5, 5);
    const closesPair =
      !highEscape.test(code) && highEscape.test(before) && surrogateEscape.test(before) && !isEscaped(view, at - 6);
    if (closesPair && view[at - 6] === backslash) continue;
    yield at;
  }
}

/** Whether this backslash is itself written as an escape: an odd number of them stands before it. */
function isEscaped(view: Buffer, at: number): boolean {
  let before = 0;
  while (view[at - 1 - before] === backslash) before++;
  return before % 2 === 1;
}

function textAt(view: Buffer, start: number, length: number): string {
  return start < 0 ? "" : view.toString("latin1", start, start + length);
}
