import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { RecordedRequest } from "./simulator.ts";

/** One request and its answer, with what is needed to write slowly, break off, and notice that the client left. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly recorded: RecordedRequest;
  /** Aborts when the connection is gone. */
  readonly gone: AbortSignal;
}

/** Waits, but no longer than the client stays. */
export async function pause(exchange: Exchange, ms: number): Promise<void> {
  if (ms <= 0 || exchange.gone.aborted) return;
  await sleep(ms, undefined, { signal: exchange.gone }).catch(() => undefined);
}

/** Stays silent until the client leaves. */
export async function untilGone({ gone }: Exchange): Promise<void> {
  if (gone.aborted) return;
  await new Promise<void>((resolve) => gone.addEventListener("abort", () => resolve(), { once: true }));
}

/** Writes and waits for the socket to drain; false when the client is gone. */
export async function write(exchange: Exchange, bytes: Uint8Array | string): Promise<boolean> {
  const { response, gone } = exchange;
  if (gone.aborted) return false;
  if (response.write(bytes)) return true;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off("drain", done);
      gone.removeEventListener("abort", done);
      resolve();
    };
    response.on("drain", done);
    gone.addEventListener("abort", done, { once: true });
  });
  return !gone.aborted;
}

/** Ends the answer and notes when. */
export async function finish(exchange: Exchange, bytes?: Uint8Array | string): Promise<void> {
  const { response, recorded, gone } = exchange;
  if (gone.aborted) return;
  await new Promise<void>((resolve) => {
    gone.addEventListener("abort", () => resolve(), { once: true });
    response.end(bytes ?? "", () => resolve());
  });
  recorded.outcome.finishedAt ??= performance.now();
}

/** Begins the answer: the status is recorded as the client sees it. */
export function begin(exchange: Exchange, status: number, headers: Readonly<Record<string, string>>): void {
  exchange.recorded.outcome.status = status;
  exchange.response.writeHead(status, headers);
}

export async function sendJson(
  exchange: Exchange,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  begin(exchange, status, { "content-type": "application/json", "content-length": String(bytes.length), ...headers });
  await finish(exchange, bytes);
}

/** A TCP reset, as a crashed server or a broken path gives it. */
export function reset({ request, recorded }: Exchange): void {
  recorded.outcome.finishedAt ??= performance.now();
  request.socket.resetAndDestroy();
}
