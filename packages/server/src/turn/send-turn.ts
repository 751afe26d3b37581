import { forwardableHeaders, type UpstreamResponse } from "@midfold/wire";
import { clampOutput } from "./clamp-output.ts";
import { composeBody } from "./compose-body.ts";
import type { Folded } from "./fold-turn.ts";
import type { Window } from "./resolve-window.ts";
import type { Turn } from "./turn.ts";

const answers = ["application/json", "text/event-stream"];

/** Sends what is to be sent and waits for the first byte of the answer. */
export async function sendTurn(turn: Turn, folded: Folded, window: Window | undefined): Promise<UpstreamResponse> {
  const { destination, request, record } = turn;
  const maxOutput =
    window === undefined ? undefined : clampOutput(window, folded.tokens, destination.preset.safetyTokens);
  const bytes = composeBody(turn, { messages: folded.messages, maxOutput });
  const sentAt = performance.now();
  record.overheadMs = sentAt - request.startedAt;
  const response = await destination.send(
    {
      method: "POST",
      path: destination.path,
      query: request.query,
      headers: { ...forwardableHeaders(flat(request.headers)), "content-type": "application/json" },
      body: bytes,
      signal: request.signal,
      expects: answers,
    },
    turn.identity.providerKey,
  );
  record.upstreamFirstByteMs = performance.now() - sentAt;
  record.upstreamAttempts += response.attempts;
  return response;
}

export function* flat(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Generator<[string, string]> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string") yield [name, value];
    else if (value !== undefined) yield [name, value.join(", ")];
  }
}
