import { hash } from "node:crypto";
import { fingerprint } from "@midfold/core";
import type { Turn } from "./turn.ts";

/** How far to look for the first words of the user. */
const searched = 6;

/**
 * The same for every request that continues a conversation: the fingerprint of its first user message, together with
 * the client's own session where it names one.
 */
export function conversationId(turn: Turn): string | undefined {
  const { protocol, body, record } = turn;
  try {
    const start = protocol.format.decode(protocol.body.messagesOf(body.value).slice(0, searched));
    const first = start.find(({ role }) => role === "user");
    if (first === undefined) return undefined;
    const root = fingerprint(first);
    return record.sessionId === undefined ? root : hash("sha256", `${record.sessionId}\n${root}`).slice(0, 16);
  } catch {
    // A request too broken to be named is about to be refused anyway.
    return undefined;
  }
}
