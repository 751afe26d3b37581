import { MidfoldError } from "@midfold/core";
import type { Dispatcher } from "undici";
import { abortedError, type DeadlineName, deadlineError, type FailedAttempt, networkError } from "./attempt-error.ts";
import type { Deadlines, UpstreamLimits } from "./upstream.ts";
import { responseHeaders } from "./upstream-headers.ts";

export interface Attempt {
  readonly upstream: string;
  readonly origin: string;
  readonly path: string;
  /** The host is written as an address: it needs no permission to be private. */
  readonly named: boolean;
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  readonly deadlines: Deadlines;
  readonly limits: UpstreamLimits;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: ReadableStream<Uint8Array>;
  /** The answer ended without a single byte of body. */
  readonly empty: boolean;
}

export type AttemptResult = { readonly ok: true; readonly answer: Answer } | ({ readonly ok: false } & FailedAttempt);

/** Bytes held for a reader that is slower than the upstream; beyond it the socket is not read. */
const readAhead = 64 * 1024;

/**
 * Sends a request once and waits for the first byte of the answer's body, so that everything which can go wrong before
 * that is a result the caller may retry, and everything after it is an error of the body. Never rejects.
 */
export function dispatchOnce(dispatcher: Dispatcher, attempt: Attempt): Promise<AttemptResult> {
  const { promise, resolve } = Promise.withResolvers<AttemptResult>();
  const { upstream, deadlines, limits, signal } = attempt;
  let connection: Dispatcher.DispatchController | undefined;
  let sent = false;
  let stopped: MidfoldError | undefined;
  let head: { readonly status: number; readonly headers: Record<string, string> } | undefined;
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let begun = false;
  let bytes = 0;
  let lineBytes = 0;

  const onAbort = () => stop(abortedError(signal?.reason));
  const total = setTimeout(() => stop(deadlineError(upstream, "total", deadlines.total)), deadlines.total);
  let silence = arm("firstByte");

  function arm(deadline: DeadlineName): NodeJS.Timeout {
    return setTimeout(() => stop(deadlineError(upstream, deadline, deadlines[deadline])), deadlines[deadline]);
  }

  function finish(): void {
    clearTimeout(total);
    clearTimeout(silence);
    signal?.removeEventListener("abort", onAbort);
  }

  /** Ends the attempt from our side: the socket is destroyed, so the upstream notices at once. */
  function stop(error: MidfoldError): void {
    if (stopped !== undefined) return;
    stopped = error;
    fail(error);
    connection?.abort(error);
  }

  function fail(error: MidfoldError): void {
    finish();
    if (begun) stream?.error(error);
    else resolve({ ok: false, error, sent });
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = controller;
      },
      pull() {
        if (!begun || connection?.paused !== true) return;
        silence = arm("idle");
        connection.resume();
      },
      cancel() {
        stop(abortedError(undefined));
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: readAhead }),
  );

  function begin(empty: boolean): void {
    if (begun || head === undefined) return;
    begun = true;
    resolve({ ok: true, answer: { ...head, body, empty } });
  }

  function tooLarge(chunk: Uint8Array): string | undefined {
    bytes += chunk.byteLength;
    if (bytes > limits.responseBytes) return `is larger than ${limits.responseBytes} bytes`;
    if (head?.headers["content-type"]?.startsWith("text/event-stream") !== true) return undefined;
    const first = chunk.indexOf(10);
    lineBytes = first === -1 ? lineBytes + chunk.byteLength : chunk.byteLength - chunk.lastIndexOf(10) - 1;
    return lineBytes > limits.lineBytes ? `has a line longer than ${limits.lineBytes} bytes` : undefined;
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      connection = controller;
      if (stopped !== undefined) controller.abort(stopped);
      else sent = true;
    },
    onResponseStart(_, status, headers) {
      if (status >= 200) head = { status, headers: responseHeaders(headers) };
    },
    onResponseData(controller, chunk) {
      if (stopped !== undefined) return;
      clearTimeout(silence);
      begin(false);
      const problem = tooLarge(chunk);
      if (problem !== undefined) {
        stop(new MidfoldError("UPSTREAM_BROKEN", `The answer of the upstream "${upstream}" ${problem}.`));
        return;
      }
      stream?.enqueue(chunk);
      if ((stream?.desiredSize ?? 0) <= 0) controller.pause();
      else silence = arm("idle");
    },
    onResponseEnd() {
      if (stopped !== undefined) return;
      finish();
      begin(true);
      stream?.close();
    },
    onResponseError(_, error) {
      if (stopped !== undefined) return;
      stopped = networkError(upstream, error, begun, deadlines.connect);
      fail(stopped);
    },
  };

  if (signal?.aborted === true) {
    onAbort();
    return promise;
  }
  signal?.addEventListener("abort", onAbort, { once: true });
  const { origin, path, method, headers, body: content } = attempt;
  try {
    dispatcher.dispatch(
      { origin, path, method, headers, ...(content === undefined ? {} : { body: content }) },
      handler,
    );
  } catch (cause) {
    stop(networkError(upstream, cause, begun, deadlines.connect));
  }
  return promise;
}
