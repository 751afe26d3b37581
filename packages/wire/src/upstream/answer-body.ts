import type { MidfoldError } from "@midfold/core";

/** The bytes of an answer, which arrive no faster than they are read. Iterating it to an early end cancels it. */
export interface AnswerBody extends AsyncIterable<Uint8Array> {
  /** The next bytes; undefined at the end. Rejects with a MidfoldError when the answer broke off. */
  read(): Promise<Uint8Array | undefined>;
  /** Everything not yet read, when its end has arrived already; undefined when it has not. */
  readRest(): readonly Uint8Array[] | undefined;
  /** Lets go of the rest. An answer that is still being written is ended where it comes from. */
  cancel(): Promise<void>;
}

/** Where the bytes come from: told when there is room for more, and when nobody wants them any longer. */
export interface AnswerSupply {
  onRoom(): void;
  onCancel(): void;
}

/** Bytes held for a reader that is slower than the upstream; beyond it the socket is not read. */
const readAhead = 64 * 1024;

/**
 * A queue between a socket and one reader. A web stream would do the same, but keeps so much per answer alive that
 * collecting it took a tenth of the gateway's time.
 */
export class AnswerQueue implements AnswerBody {
  readonly #supply: AnswerSupply;
  #chunks: Uint8Array[] = [];
  #held = 0;
  #ended = false;
  #error: MidfoldError | undefined;
  #waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined;

  constructor(supply: AnswerSupply) {
    this.#supply = supply;
  }

  /** Whether the socket should rest until the reader has caught up. */
  get isFull(): boolean {
    return this.#held >= readAhead;
  }

  push(chunk: Uint8Array): void {
    if (this.#waiting !== undefined) {
      this.#settle()?.resolve(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#held += chunk.byteLength;
  }

  end(): void {
    this.#ended = true;
    this.#settle()?.resolve(undefined);
  }

  /** What arrived before the failure can still be read. */
  fail(error: MidfoldError): void {
    if (this.#ended) return;
    this.#error = error;
    this.#settle()?.reject(error);
  }

  read(): Promise<Uint8Array | undefined> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      const wasFull = this.isFull;
      this.#held -= chunk.byteLength;
      if (wasFull && !this.isFull && !this.#ended) this.#supply.onRoom();
      return Promise.resolve(chunk);
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#ended) return Promise.resolve(undefined);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  readRest(): readonly Uint8Array[] | undefined {
    if (!this.#ended) return undefined;
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#held = 0;
    return chunks;
  }

  async cancel(): Promise<void> {
    const running = !this.#ended && this.#error === undefined;
    this.#chunks = [];
    this.#held = 0;
    this.#ended = true;
    this.#settle()?.resolve(undefined);
    if (running) this.#supply.onCancel();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = await this.read();
        if (chunk === undefined) return;
        yield chunk;
      }
    } finally {
      await this.cancel();
    }
  }

  #settle(): PromiseWithResolvers<Uint8Array | undefined> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

/** Text made here, piece by piece, as if an upstream had sent it. */
export function bodyOf(pieces: AsyncIterable<string>): AnswerBody {
  const iterator = pieces[Symbol.asyncIterator]();
  const read = async () => {
    const next = await iterator.next();
    return next.done === true ? undefined : Buffer.from(next.value);
  };
  return {
    read,
    readRest: () => undefined,
    cancel: async () => {
      await iterator.return?.();
    },
    async *[Symbol.asyncIterator]() {
      for await (const piece of pieces) yield Buffer.from(piece);
    },
  };
}
