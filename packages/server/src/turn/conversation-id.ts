import { hash } from "node:crypto";
import type { Gateway } from "./gateway.ts";
import type { Turn } from "./turn.ts";

/**
 * The same for every request that continues a conversation: the fingerprint of its first user message, together with
 * the client's own session where it names one.
 */
export function conversationId(gateway: Gateway, { protocol, body, record }: Turn): string | undefined {
  const root = gateway.looks.root(protocol, protocol.body.messagesOf(body.value));
  if (root === undefined || record.sessionId === undefined) return root;
  return hash("sha256", `${record.sessionId}\n${root}`).slice(0, 16);
}
