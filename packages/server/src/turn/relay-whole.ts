import type { Reply } from "../http/exchange.ts";
import { noteUsage } from "./finish-turn.ts";
import type { Opened } from "./open-answer.ts";
import type { Turn } from "./turn.ts";

/** Passes on an answer that came in one piece, byte for byte. */
export function relayWhole(
  turn: Turn,
  opened: Extract<Opened, { kind: "whole" }>,
  options: { readonly headers: Readonly<Record<string, string>>; readonly onEnd: () => void },
): Reply {
  noteUsage(turn.record, opened.answer.usage);
  turn.record.status = opened.response.status;
  return {
    status: opened.response.status,
    headers: { "content-type": "application/json", ...options.headers },
    body: opened.text,
    onEnd: options.onEnd,
  };
}
