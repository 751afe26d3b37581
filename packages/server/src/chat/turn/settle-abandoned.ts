import { isMidfoldError } from "@midfold/core";
import type { MessageRecord } from "@midfold/store";
import { type Chat, type ChatServer, chatOf } from "../chat.ts";
import { endingPart } from "../context/to-message.ts";
import { publishEvent } from "../events/publish-event.ts";
import { type RunningWork, replyKey } from "./running-work.ts";

/** The process that writes a reply holds this lease and keeps renewing it. */
export const replyLease = (sessionId: string, messageId: string): string => `${leasePrefix}${sessionId}:${messageId}`;
const leasePrefix = "reply:";
export const replyLeaseMs = 15_000;

/** Marks a reply as interrupted when the process that wrote it is gone. True when it has ended now. */
export async function settleAbandoned(chat: Chat, record: MessageRecord): Promise<boolean> {
  // The empty reply is stored a moment before its lease is taken.
  if (chat.now() - record.createdAt < replyLeaseMs) return false;
  const lease = await chat.store.leases.acquire(replyLease(record.sessionId, record.id), { ttlMs: replyLeaseMs });
  if (lease === undefined) return false;
  try {
    const parts = [...record.parts, endingPart("The server stopped while this reply was being written.")];
    await chat.store.messages.finish(record.sessionId, record.id, { status: "interrupted", parts });
    chat.log.warn({ sessionId: record.sessionId, messageId: record.id }, "an abandoned reply was marked interrupted");
    await publishEvent(chat, { type: "message.updated", sessionId: record.sessionId, messageId: record.id });
  } catch (error) {
    if (!isMidfoldError(error, "VERSION_CONFLICT") && !isMidfoldError(error, "NOT_FOUND")) throw error;
  } finally {
    await chat.store.leases.release(lease);
  }
  return true;
}

/** At the start: ends replies that a process began and never ended, keeping what had arrived. */
export async function settleAtStart(server: ChatServer): Promise<void> {
  for (const { owner, name } of await server.stores.heldLeases(leasePrefix)) {
    const [sessionId = "", messageId = ""] = name.slice(leasePrefix.length).split(":");
    const chat = await chatOf(server, owner);
    try {
      const record = await chat.store.messages.get(sessionId, messageId);
      if (record.status === "streaming") await settleStale(chat, sessionId, [record]);
    } catch (error) {
      if (!isMidfoldError(error, "NOT_FOUND")) throw error;
    }
  }
}

// Per server: sessions to check again when the lease of a reply may have expired.
const watched = new WeakMap<RunningWork, Set<string>>();

/**
 * Ends replies that nobody writes any more: at once where their lease has expired, else as soon as it may have. Called
 * when a session is read, so that it does not stay locked after a crash. True when one was ended now.
 */
export async function settleStale(chat: Chat, sessionId: string, records: readonly MessageRecord[]): Promise<boolean> {
  const streaming = records.filter(({ status }) => status === "streaming");
  if (streaming.length === 0 || chat.running.has(replyKey(chat.store.owner, sessionId))) return false;
  const settled = await Promise.all(streaming.map((record) => settleAbandoned(chat, record)));
  if (settled.includes(true)) await publishEvent(chat, { type: "session.updated", sessionId });
  if (settled.includes(false)) lookAgain(chat, sessionId);
  return settled.includes(true);
}

function lookAgain(chat: Chat, sessionId: string): void {
  const sessions = watched.get(chat.running) ?? new Set();
  watched.set(chat.running, sessions);
  const key = replyKey(chat.store.owner, sessionId);
  if (sessions.has(key)) return;
  sessions.add(key);
  const timer = setTimeout(async () => {
    sessions.delete(key);
    try {
      const records = await chat.store.messages.list(sessionId, { limit: 100, newestFirst: true });
      await settleStale(chat, sessionId, records);
    } catch (error) {
      if (!isMidfoldError(error, "NOT_FOUND"))
        chat.log.warn({ err: error, sessionId }, "an abandoned reply could not be marked as interrupted");
    }
  }, replyLeaseMs + 1_000);
  timer.unref();
}
