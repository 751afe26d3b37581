import { PassThrough, pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from "node:zlib";
import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { AnswerBody } from "./answer-body.ts";
import { AnswerMeter, hasLines } from "./answer-limits.ts";
import type { Answer } from "./dispatch-once.ts";
import type { UpstreamLimits } from "./upstream.ts";

/** Creates what unpacks an encoding, given the first byte of the packed form. */
const unpackers = new Map<string, (first: number) => Transform>([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  // Some servers send the bare form, which the standard does not mean by this name; a header would begin with an 8.
  ["deflate", (first) => ((first & 0x0f) === 8 ? createInflate() : createInflateRaw())],
  ["br", () => createBrotliDecompress()],
  ["zstd", () => createZstdDecompress()],
]);
/** No server packs an answer more often than this. */
const mostLayers = 3;

/** Whether an answer's `content-encoding` can be undone. */
export function isUnpackable(encoding: string): boolean {
  const layers = layersOf(encoding);
  return layers.length <= mostLayers && layers.every((name) => unpackers.has(name));
}

/**
 * The answer as it was before it was packed, although none was offered, as some proxies do. Held to the limits of any
 * other answer: a few kilobytes can unpack to gigabytes. Rejects when not even its beginning can be read.
 */
export async function unpackAnswer(upstream: string, answer: Answer, limits: UpstreamLimits): Promise<Answer> {
  const { "content-encoding": encoding = "", ...headers } = answer.headers;
  if (answer.empty) return { ...answer, headers };
  const body = new UnpackedBody(upstream, answer, encoding, new AnswerMeter(limits, hasLines(headers)));
  const opening = await body.open();
  return { ...answer, headers, body, opening: opening ?? new Uint8Array(), empty: opening === undefined };
}

/** Unpacks no faster than it is read. */
class UnpackedBody implements AnswerBody {
  readonly #upstream: string;
  readonly #encoding: string;
  readonly #packed: AnswerBody;
  readonly #meter: AnswerMeter;
  readonly #plain: Transform;
  readonly #pieces: AsyncIterator<Uint8Array>;
  #opening: Uint8Array | undefined;
  #ended = false;
  #error: MidfoldError | undefined;

  constructor(upstream: string, { body, opening }: Answer, encoding: string, meter: AnswerMeter) {
    this.#upstream = upstream;
    this.#encoding = encoding;
    this.#packed = body;
    this.#meter = meter;
    this.#plain = new PassThrough();
    // What was packed last comes off first.
    const stages = layersOf(encoding)
      .reverse()
      .map((name) => unpackers.get(name)?.(opening[0] ?? 0) ?? new PassThrough());
    pipeline([Readable.from(body, { objectMode: false }), ...stages, this.#plain], () => undefined);
    this.#pieces = this.#plain[Symbol.asyncIterator]();
  }

  /** Waits for the first bytes, which are read again afterwards. */
  async open(): Promise<Uint8Array | undefined> {
    this.#opening = await this.read();
    return this.#opening;
  }

  async read(): Promise<Uint8Array | undefined> {
    const opening = this.#opening;
    this.#opening = undefined;
    if (opening !== undefined) return opening;
    if (this.#error !== undefined) throw this.#error;
    try {
      const next = this.#ended ? undefined : await this.#pieces.next();
      if (this.#ended || next === undefined || next.done === true) {
        this.#ended = true;
        return undefined;
      }
      const problem = this.#meter.add(next.value);
      if (problem !== undefined) throw this.#broken(problem);
      return next.value;
    } catch (cause) {
      if (this.#ended) return undefined;
      this.#error = isMidfoldError(cause) ? cause : this.#broken(`is not whole, or not ${this.#encoding} as it says`);
      this.#letGo();
      throw this.#error;
    }
  }

  readRest(): undefined {
    return undefined;
  }

  async cancel(): Promise<void> {
    this.#opening = undefined;
    this.#ended = true;
    this.#letGo();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const piece = await this.read();
        if (piece === undefined) return;
        yield piece;
      }
    } finally {
      await this.cancel();
    }
  }

  #letGo(): void {
    // The pipeline alone would wait for the next packed bytes before it lets go of them.
    void this.#packed.cancel();
    this.#plain.destroy();
  }

  #broken(problem: string): MidfoldError {
    return new MidfoldError("UPSTREAM_BROKEN", `The answer of the upstream "${this.#upstream}" ${problem}.`, {
      details: { upstream: this.#upstream },
    });
  }
}

const layersOf = (encoding: string): string[] =>
  encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "identity" && name !== "");
