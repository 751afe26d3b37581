import { MidfoldError } from "@midfold/core";
import { createBodyCollector, createSseParser, sseHeaders, streamResponse, translateResponse } from "@midfold/wire";
import type { Reply } from "../http/exchange.ts";
import { noteUsage } from "./finish-turn.ts";
import type { Opened } from "./open-answer.ts";
import type { Prepared } from "./prepare-request.ts";
import type { Turn } from "./turn.ts";

export interface WholeOptions {
  readonly prepared: Prepared;
  readonly headers: Readonly<Record<string, string>>;
  readonly onEnd: () => void;
}

/** Passes on an answer that came in one piece: byte for byte where protocols agree, as a stream if one was asked for. */
export function relayWhole(turn: Turn, opened: Extract<Opened, { kind: "whole" }>, options: WholeOptions): Reply {
  const { headers, onEnd } = options;
  const { translation } = options.prepared;
  noteUsage(turn.record, opened.answer.usage);
  turn.record.status = opened.response.status;
  const { status } = opened.response;
  if (turn.stream) {
    const body = streamResponse(JSON.parse(opened.text), translation);
    return { status, headers: { ...sseHeaders, ...headers }, body, onEnd };
  }
  const body = turn.sameProtocol
    ? opened.text
    : JSON.stringify(translateResponse(JSON.parse(opened.text), translation));
  return { status, headers: { "content-type": "application/json", ...headers }, body, onEnd };
}

/** Gathers a stream nobody asked for into the one body the client expects. */
export async function gatherWhole(
  turn: Turn,
  opened: Extract<Opened, { kind: "stream" }>,
  options: WholeOptions,
): Promise<Reply> {
  const collector = createBodyCollector(options.prepared.translation);
  const parser = createSseParser();
  const { source } = opened;
  for (const { bytes } of source.held) for (const event of parser.push(bytes)) collector.push(event);
  for (;;) {
    const piece = await source.next();
    if (piece === undefined) break;
    for (const event of parser.push(piece.bytes)) collector.push(event);
    const failed = piece.events.find((event) => event.type === "error");
    if (failed?.type === "error") throw failed.error;
    for (const event of piece.events) if (event.type === "usage-available") noteUsage(turn.record, event.usage);
  }
  const body = JSON.stringify(collector.end());
  if (body === undefined) throw new MidfoldError("UPSTREAM_BROKEN", "The upstream's stream held no answer.");
  turn.record.status = 200;
  return {
    status: 200,
    headers: { "content-type": "application/json", ...options.headers },
    body,
    onEnd: options.onEnd,
  };
}
