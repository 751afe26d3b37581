import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { begin, type Exchange, finish, pause, reset, untilGone, write } from "./exchange.ts";
import type { Fault } from "./fault.ts";
import type { Protocol } from "./protocol.ts";
import { sendProblem } from "./send-answer.ts";

/** Plays a fault that replaces the answer. Returns false for faults that strike while an answer is on its way. */
export async function sendFault(exchange: Exchange, fault: Fault, protocol: Protocol): Promise<boolean> {
  switch (fault.kind) {
    case "silence":
      await untilGone(exchange);
      return true;
    case "delay":
      await pause(exchange, fault.delayMs);
      return exchange.gone.aborted;
    case "reset":
      if ((fault.afterFrames ?? 0) > 0) return false;
      reset(exchange);
      return true;
    case "status":
      await sendStatus(exchange, fault, protocol);
      return true;
    case "redirect":
      begin(exchange, 302, { location: fault.location });
      await finish(exchange);
      return true;
    case "html":
      begin(exchange, fault.status, { "content-type": "text/html" });
      await finish(exchange, "<!doctype html><html><body><h1>502 Bad Gateway</h1><hr>nginx/1.27.0</body></html>");
      return true;
    case "empty":
      begin(exchange, 200, { "content-type": "application/json", "content-length": "0" });
      await finish(exchange);
      return true;
    case "no-events":
      begin(exchange, 200, { "content-type": "text/event-stream" });
      await finish(exchange, ": nothing to say\n\n");
      return true;
    case "not-json":
      begin(exchange, 200, { "content-type": "application/json" });
      await finish(exchange, "upstream connect error or disconnect/reset before headers");
      return true;
    case "huge-line":
      await sendHugeLine(exchange, fault.bytes);
      return true;
    case "gzip-bomb":
      await sendBomb(exchange, fault.bytes, fault.layers ?? 1);
      return true;
    default:
      return false;
  }
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

async function sendStatus(exchange: Exchange, fault: Extract<Fault, { kind: "status" }>, protocol: Protocol) {
  if (fault.retryAfter !== undefined) exchange.response.setHeader("retry-after", fault.retryAfter);
  const message = fault.message ?? `Simulated failure ${fault.status}`;
  await sendProblem(exchange, protocol, { status: fault.status, type: types[fault.status] ?? "api_error", message });
}

async function sendHugeLine(exchange: Exchange, bytes: number): Promise<void> {
  begin(exchange, 200, { "content-type": "text/event-stream" });
  if (!(await write(exchange, "data: "))) return;
  const piece = Buffer.alloc(64 * 1024, "x");
  for (let left = bytes; left > 0; left -= piece.length) {
    if (!(await write(exchange, piece.subarray(0, Math.min(left, piece.length))))) return;
  }
  await finish(exchange, "\n\n");
}

async function sendBomb(exchange: Exchange, bytes: number, layers: number): Promise<void> {
  const encodings = Array.from({ length: layers }, () => "gzip").join(", ");
  begin(exchange, 200, { "content-type": "application/json", "content-encoding": encodings });
  const zeros = Buffer.alloc(256 * 1024);
  function* blank() {
    for (let left = bytes; left > 0; left -= zeros.length) yield zeros.subarray(0, Math.min(left, zeros.length));
  }
  const packers = Array.from({ length: layers }, () => createGzip());
  // The client may well hang up on it, which is the point.
  await pipeline([Readable.from(blank()), ...packers, exchange.response]).catch(() => undefined);
  exchange.recorded.outcome.finishedAt ??= performance.now();
}

/** A whole second response right behind the first one. */
export function sendExtraBytes({ request }: Exchange): void {
  const body = JSON.stringify({ leaked: "this belongs to nobody" });
  request.socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
