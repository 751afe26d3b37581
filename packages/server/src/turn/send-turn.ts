import { forwardableHeaders, type UpstreamResponse } from "@midfold/wire";
import type { Prepared } from "./prepare-request.ts";
import type { Turn } from "./turn.ts";

const answers = ["application/json", "text/event-stream"];

/** Sends a prepared request and waits for the first byte of the answer. */
export function sendTurn(turn: Turn, prepared: Prepared): Promise<UpstreamResponse> {
  const { destination, request, sameProtocol } = turn;
  // What the client's own headers say about its protocol means nothing to an upstream that speaks another.
  const headers = sameProtocol ? forwardableHeaders(request.headers) : {};
  headers["content-type"] = "application/json";
  return destination.send(
    {
      method: "POST",
      path: destination.path,
      query: sameProtocol ? request.query : "",
      headers,
      body: prepared.bytes,
      signal: request.signal,
      expects: answers,
    },
    turn.identity.providerKey,
  );
}
