import { isMidfoldError } from "@midfold/core";
import type { MessageRecord, OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { endingPart } from "../context/to-message.ts";
import { publishEvent } from "../events/publish-event.ts";
import { replyKey } from "./running-work.ts";

/** The process that writes a reply holds this lease and keeps renewing it. */
export const replyLease = (sessionId: string, messageId: string): string => `${leasePrefix}${sessionId}:${messageId}`;
const leasePrefix = "reply:";
export const replyLeaseMs = 15_000;

/** Marks a reply as interrupted when the process that wrote it is gone. True when it has ended now. */
export async function settleAbandoned(chat: Chat, store: OwnerStore, record: MessageRecord): Promise<boolean> {
  // The empty reply is stored a moment before its lease is taken.
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

/** At the start: ends replies that a process began and never ended, keeping what had arrived. */
export async function settleAtStart(chat: Chat): Promise<void> {
  for (const { owner, name } of await chat.store.heldLeases(leasePrefix)) {
    const [sessionId = "", messageId = ""] = name.slice(leasePrefix.length).split(":");
    const store = chat.store.of(owner);
    try {
      const record = await store.messages.get(sessionId, messageId);
      if (record.status === "streaming") await settleStale(chat, store, sessionId, [record]);
    } catch (error) {
      if (!isMidfoldError(error, "NOT_FOUND")) throw error;
    }
  }
}

// Per chat: sessions to check again when the lease of a reply may have expired.
const watched = new WeakMap<Chat, Set<string>>();

/**
 * Ends replies that nobody writes any more: at once where their lease has expired, else as soon as it may have. Called
 * when a session is read, so that it does not stay locked after a crash. True when one was ended now.
 */
export async function settleStale(
  chat: Chat,
  store: OwnerStore,
  sessionId: string,
  records: readonly MessageRecord[],
): Promise<boolean> {
  const streaming = records.filter(({ status }) => status === "streaming");
  if (streaming.length === 0 || chat.running.has(replyKey(store.owner, sessionId))) return false;
  const settled = await Promise.all(streaming.map((record) => settleAbandoned(chat, store, record)));
  if (settled.includes(true)) await publishEvent(chat, store, { type: "session.updated", sessionId });
  if (settled.includes(false)) lookAgain(chat, store, sessionId);
  return settled.includes(true);
}

function lookAgain(chat: Chat, store: OwnerStore, sessionId: string): void {
  const sessions = watched.get(chat) ?? new Set();
  watched.set(chat, sessions);
  const key = replyKey(store.owner, sessionId);
  if (sessions.has(key)) return;
  sessions.add(key);
  const timer = setTimeout(async () => {
    sessions.delete(key);
    try {
      const records = await store.messages.list(sessionId, { limit: 100, newestFirst: true });
      await settleStale(chat, store, sessionId, records);
    } catch (error) {
      if (!isMidfoldError(error, "NOT_FOUND"))
        chat.log.warn({ err: error, sessionId }, "an abandoned reply could not be marked as interrupted");
    }
  }, replyLeaseMs + 1_000);
  timer.unref();
}
