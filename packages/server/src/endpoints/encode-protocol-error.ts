import type { MidfoldError } from "@midfold/core";
import type { Protocol } from "@midfold/wire";
import type { RequestHead } from "../http/create-listener.ts";
import type { HttpReply } from "../http/http-message.ts";
import { replyJson } from "../http/reply-json.ts";
import { redactText } from "../observe/redact-text.ts";

/** Method, media type, misdirected, headers too large. */
const transport: ReadonlySet<number> = new Set([405, 415, 421, 431]);

/** An error as the clients of a protocol know errors, whoever raised it. */
export function encodeProtocolError(protocol: Protocol, error: MidfoldError, head: RequestHead): HttpReply {
  const encoded = protocol.encodeError(error, head.id);
  // An HTTP-level error keeps its status, which every client knows, whatever the protocol's own list says.
  const status = transport.has(error.status) ? error.status : encoded.status;
  return replyJson(status, encoded.body, { ...encoded.headers, ...retryHeaders(error) }, redactText);
}

/** How long to wait, where the error says so. */
export function retryHeaders(error: MidfoldError): Record<string, string> {
  const { retryAfterSeconds, retryAfterMs, allow } = error.details as {
    retryAfterSeconds?: unknown;
    retryAfterMs?: unknown;
    allow?: unknown;
  };
  const seconds =
    typeof retryAfterSeconds === "number"
      ? retryAfterSeconds
      : typeof retryAfterMs === "number"
        ? Math.ceil(retryAfterMs / 1000)
        : undefined;
  return {
    ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    ...(typeof allow === "string" ? { allow } : {}),
  };
}
