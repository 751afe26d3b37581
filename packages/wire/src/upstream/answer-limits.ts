import type { UpstreamLimits } from "./upstream.ts";

/** Counts the bytes of an answer as they arrive. */
export class AnswerMeter {
  readonly #limits: UpstreamLimits;
  readonly #hasLines: boolean;
  #bytes = 0;
  #lineBytes = 0;

  /** Only an event stream has lines to measure. */
  constructor(limits: UpstreamLimits, hasLines: boolean) {
    this.#limits = limits;
    this.#hasLines = hasLines;
  }

  /** What is wrong with the answer once this chunk is part of it. */
  add(chunk: Uint8Array): string | undefined {
    const { responseBytes, lineBytes } = this.#limits;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > responseBytes) return `is larger than ${responseBytes} bytes`;
    if (!this.#hasLines) return undefined;
    const first = chunk.indexOf(10);
    this.#lineBytes = first === -1 ? this.#lineBytes + chunk.byteLength : chunk.byteLength - chunk.lastIndexOf(10) - 1;
    return this.#lineBytes > lineBytes ? `has a line longer than ${lineBytes} bytes` : undefined;
  }
}

/** Whether an answer's bytes, as they lie on the wire, are the lines of an event stream. */
export function hasLines(headers: Readonly<Record<string, string>>): boolean {
  const isPacked = (headers["content-encoding"] ?? "identity").toLowerCase() !== "identity";
  return !isPacked && headers["content-type"]?.startsWith("text/event-stream") === true;
}
