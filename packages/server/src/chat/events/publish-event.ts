import type { OwnerStore } from "@midfold/store";
import type { CompressionEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";

/**
 * News as it travels between replicas: small, by id. Whoever listens reads the record itself, so an event is never larger
 * than a notification may be and never older than the store.
 */
export type ChatNews =
  | CompressionEvent
  | { readonly type: "session.created" | "session.updated" | "session.deleted"; readonly sessionId: string }
  | { readonly type: "message.added" | "message.updated"; readonly sessionId: string; readonly messageId: string }
  | { readonly type: "summary.changed"; readonly sessionId: string; readonly activeId: string | null }
  | { readonly type: "usage.changed"; readonly sessionId: string }
  | { readonly type: "settings.changed"; readonly scope: string };

/** Orders for whichever replica has the work in hand. */
export type ChatOrder =
  | { readonly type: "reply.stop"; readonly sessionId: string }
  | { readonly type: "compression.cancel"; readonly sessionId: string; readonly compressionId: string };

/** Tells every replica. Never fails the work it reports on. */
export async function publishEvent(chat: Chat, store: OwnerStore, news: ChatNews | ChatOrder): Promise<void> {
  try {
    const sessionId = "sessionId" in news ? { sessionId: news.sessionId } : {};
    await store.events.publish({ type: news.type, ...sessionId, data: news });
  } catch (error) {
    chat.log.warn({ err: error, event: news.type }, "a live event could not be published");
  }
}
