import { MidfoldError } from "@midfold/core";
import type { Dispatcher } from "undici";
import { type AnswerBody, AnswerQueue, type AnswerSupply } from "./answer-body.ts";
import { AnswerMeter, hasLines } from "./answer-limits.ts";
import { abortedError, type DeadlineName, deadlineError, type FailedAttempt, networkError } from "./attempt-error.ts";
import type { Deadlines, RequestBody, UpstreamLimits, UpstreamRequest } from "./upstream.ts";
import { responseHeaders } from "./upstream-headers.ts";

export interface Attempt {
  readonly upstream: string;
  readonly origin: string;
  readonly path: string;
  /** The host is written as an address: it needs no permission to be private. */
  readonly named: boolean;
  readonly method: NonNullable<UpstreamRequest["method"]>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | undefined;
  readonly signal: AbortSignal | undefined;
  readonly deadlines: Deadlines;
  readonly limits: UpstreamLimits;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: AnswerBody;
  /** The first bytes of the body, which are also in it. */
  readonly opening: Uint8Array;
  /** The answer ended without a single byte of body. */
  readonly empty: boolean;
}

export type AttemptResult = { readonly ok: true; readonly answer: Answer } | ({ readonly ok: false } & FailedAttempt);

/**
 * Sends a request once and waits for the first byte of the answer's body, so that everything which can go wrong before
 * that is a result the caller may retry, and everything after it is an error of the body. Never rejects.
 */
export function dispatchOnce(dispatcher: Dispatcher, attempt: Attempt): Promise<AttemptResult> {
  const running = new RunningAttempt(attempt);
  running.start(dispatcher);
  return running.result;
}

/** One object per request, for the client library and the body's reader alike: closures would be a dozen. */
class RunningAttempt implements Dispatcher.DispatchHandler, AnswerSupply {
  readonly result: Promise<AttemptResult>;
  readonly #attempt: Attempt;
  readonly #body = new AnswerQueue(this);
  #resolve!: (result: AttemptResult) => void;
  #connection: Dispatcher.DispatchController | undefined;
  #sent = false;
  #stopped: MidfoldError | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #begun = false;
  #meter: AnswerMeter | undefined;
  #startedAt = 0;
  /** When the upstream was last heard of, or last allowed to speak again. */
  #heardAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** A function, since Node keeps listeners that are objects alive for longer. */
  readonly #onAbort = () => this.#stop(abortedError(this.#attempt.signal?.reason));

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  start(dispatcher: Dispatcher): void {
    const { signal, origin, path, method, body, upstream, deadlines } = this.#attempt;
    if (signal?.aborted === true) {
      this.#onAbort();
      return;
    }
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#startedAt = this.#heardAt = performance.now();
    this.#lookIn(deadlines.firstByte);
    try {
      const headers = isPieces(body) ? withLength(this.#attempt.headers, body) : this.#attempt.headers;
      // The client takes anything that can be iterated, though its types do not say so.
      const content = (body ?? null) as string | Uint8Array | null;
      dispatcher.dispatch({ origin, path, method, headers, body: content }, this);
    } catch (cause) {
      this.#stop(networkError(upstream, cause, this.#begun, deadlines.connect));
    }
  }

  onRoom(): void {
    if (this.#connection?.paused !== true) return;
    this.#heardAt = performance.now();
    this.#connection.resume();
  }

  onCancel(): void {
    this.#stop(abortedError(undefined));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#connection = controller;
    if (this.#stopped !== undefined) controller.abort(this.#stopped);
    else this.#sent = true;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = responseHeaders(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stopped !== undefined) return;
    this.#heardAt = performance.now();
    this.#begin(false, chunk);
    this.#meter ??= new AnswerMeter(this.#attempt.limits, hasLines(this.#headers));
    const problem = this.#meter.add(chunk);
    if (problem !== undefined) {
      const { upstream } = this.#attempt;
      this.#stop(new MidfoldError("UPSTREAM_BROKEN", `The answer of the upstream "${upstream}" ${problem}.`));
      return;
    }
    this.#body.push(chunk);
    if (this.#body.isFull) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#stopped !== undefined) return;
    this.#finish();
    this.#begin(true, new Uint8Array());
    this.#body.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#stopped !== undefined) return;
    const { upstream, deadlines } = this.#attempt;
    this.#stopped = networkError(upstream, error, this.#begun, deadlines.connect);
    this.#fail(this.#stopped);
  }

  #begin(empty: boolean, opening: Uint8Array): void {
    if (this.#begun || this.#status === 0) return;
    this.#begun = true;
    const answer = { status: this.#status, headers: this.#headers, body: this.#body, opening, empty };
    this.#resolve({ ok: true, answer });
  }

  /** Ends the attempt from our side: the socket is destroyed, so the upstream notices at once. */
  #stop(error: MidfoldError): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = error;
    this.#fail(error);
    this.#connection?.abort(error);
  }

  #fail(error: MidfoldError): void {
    this.#finish();
    if (this.#begun) this.#body.fail(error);
    else this.#resolve({ ok: false, error, sent: this.#sent });
  }

  #finish(): void {
    clearTimeout(this.#timer);
    this.#attempt.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** One timer per attempt: it is not touched while bytes arrive, but finds out how long none did when it fires. */
  #lookIn(milliseconds: number): void {
    // Never further ahead than the shortest silence that may become a deadline in the meantime.
    const { idle, total } = this.#attempt.deadlines;
    this.#timer = setTimeout(look, Math.min(milliseconds, idle, total), this);
  }

  look(): void {
    const { deadlines } = this.#attempt;
    const now = performance.now();
    const silence: DeadlineName = this.#begun ? "idle" : "firstByte";
    const total = this.#startedAt + deadlines.total - now;
    // While the reader is the slow one, the upstream is not silent.
    const quiet = this.#connection?.paused === true ? deadlines[silence] : this.#heardAt + deadlines[silence] - now;
    if (total < 1) this.#stopFor("total");
    else if (quiet < 1) this.#stopFor(silence);
    else this.#lookIn(Math.min(total, quiet));
  }

  #stopFor(deadline: DeadlineName): void {
    const { upstream, deadlines } = this.#attempt;
    this.#stop(deadlineError(upstream, deadline, deadlines[deadline]));
  }
}

function isPieces(body: RequestBody | undefined): body is readonly Uint8Array[] {
  return Array.isArray(body);
}

function withLength(headers: Readonly<Record<string, string>>, pieces: readonly Uint8Array[]) {
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  return { ...headers, "content-length": String(length) };
}

function look(attempt: RunningAttempt): void {
  attempt.look();
}
