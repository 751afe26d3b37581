export interface FrameSplitter {
  /** The bytes of all frames that are now complete; undefined while the first one is not. */
  push(chunk: Uint8Array): Uint8Array | undefined;
  /** What is left when the stream ends in the middle of a frame. */
  end(): Uint8Array;
}

/**
 * Passes event-stream bytes on in whole frames only, so that a stream that breaks off never leaves half a frame in
 * front of an error event. Frames end with an empty line, whatever the line endings.
 */
export function createFrameSplitter(): FrameSplitter {
  let parts: Uint8Array[] = [];
  let held = 0;
  // The last bytes held, which may be the beginning of an ending.
  let tail = "";
  return {
    push: (chunk) => {
      const end = lastFrameEnd(chunk, tail);
      if (end === 0) {
        parts.push(chunk);
        held += chunk.byteLength;
        tail = (tail + ascii(chunk.subarray(-3))).slice(-3);
        return undefined;
      }
      const whole = chunk.subarray(0, end);
      const bytes = held === 0 ? whole : Buffer.concat([...parts, whole]);
      const rest = chunk.subarray(end);
      parts = rest.byteLength === 0 ? [] : [rest];
      held = rest.byteLength;
      tail = ascii(rest.subarray(-3));
      return bytes;
    },
    end: () => {
      const rest = Buffer.concat(parts);
      parts = [];
      held = 0;
      return rest;
    },
  };
}

const lineFeed = 10;
const carriageReturn = 13;

/** The index after the last empty line of the chunk; 0 when there is none. `tail` is what came just before. */
function lastFrameEnd(chunk: Uint8Array, tail: string): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    const byte = chunk[at];
    if (byte !== lineFeed && byte !== carriageReturn) continue;
    const before = ascii(chunk.subarray(Math.max(0, at - 3), at + 1));
    const seen = at >= 3 ? before : tail + before;
    if (/(?:\n\n|\r\r|\r\n\r\n|\n\r\n)$/.test(seen)) return at + 1;
  }
  return 0;
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
