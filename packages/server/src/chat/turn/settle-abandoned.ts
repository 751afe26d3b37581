import { isMidfoldError } from "@midfold/core";
import type { MessageRecord, OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { endingPart } from "../context/to-message.ts";
import { publishEvent } from "../events/publish-event.ts";

/** Whoever writes a reply holds this lease and keeps renewing it. */
export const replyLease = (sessionId: string, messageId: string): string => `reply:${sessionId}:${messageId}`;
export const replyLeaseMs = 30_000;

/** Marks a reply as interrupted when the process that was writing it is gone. True when it is settled now. */
export async function settleAbandoned(chat: Chat, store: OwnerStore, record: MessageRecord): Promise<boolean> {
  // The placeholder is stored a moment before its lease is taken.
  if (chat.now() - record.createdAt < replyLeaseMs) return false;
  const lease = await store.leases.acquire(replyLease(record.sessionId, record.id), { ttlMs: replyLeaseMs });
  if (lease === undefined) return false;
  try {
    const parts = [...record.parts, endingPart("The server stopped while this reply was being written.")];
    await store.messages.finish(record.sessionId, record.id, { status: "interrupted", parts });
    chat.log.warn({ sessionId: record.sessionId, messageId: record.id }, "an abandoned reply was marked interrupted");
    await publishEvent(chat, store, { type: "message.updated", sessionId: record.sessionId, messageId: record.id });
  } catch (error) {
    if (!isMidfoldError(error, "VERSION_CONFLICT") && !isMidfoldError(error, "NOT_FOUND")) throw error;
  } finally {
    await store.leases.release(lease);
  }
  return true;
}
