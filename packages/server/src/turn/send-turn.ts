import { forwardableHeaders, type UpstreamResponse } from "@midfold/wire";
import type { InboundHeaders } from "../http/exchange.ts";
import type { Prepared } from "./prepare-request.ts";
import type { Turn } from "./turn.ts";

const answers = ["application/json", "text/event-stream"];

/** Sends a prepared request and waits for the first byte of the answer. */
export async function sendTurn(turn: Turn, prepared: Prepared): Promise<UpstreamResponse> {
  const { destination, request, record, sameProtocol } = turn;
  const sentAt = performance.now();
  // What the client's own headers say about its protocol means nothing to an upstream that speaks another.
  const own = sameProtocol ? forwardableHeaders(flat(request.headers)) : {};
  if (record.upstreamAttempts === 0) record.overheadMs = sentAt - request.startedAt;
  const response = await destination.send(
    {
      method: "POST",
      path: destination.path,
      query: sameProtocol ? request.query : "",
      headers: { ...own, "content-type": "application/json" },
      body: prepared.bytes,
      signal: request.signal,
      expects: answers,
    },
    turn.identity.providerKey,
  );
  record.upstreamFirstByteMs = performance.now() - sentAt;
  record.upstreamAttempts += response.attempts;
  return response;
}

function* flat(headers: InboundHeaders): Generator<[string, string]> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string") yield [name, value];
    else if (value !== undefined) yield [name, value.join(", ")];
  }
}
