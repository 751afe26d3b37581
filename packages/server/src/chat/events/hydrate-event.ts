import { isMidfoldError } from "@midfold/core";
import type { OwnerStore, StoreEvent } from "@midfold/store";
import type { SessionEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";
import { measureUsage } from "../context/measure-usage.ts";
import { toApiMessage } from "../sessions/to-api-message.ts";
import { toApiSession } from "../sessions/to-api-session.ts";
import type { ChatNews, ChatOrder } from "./publish-event.ts";

/** News completed with the record it is about, as the API shows it; undefined for orders and for what is gone by now. */
export async function hydrateEvent(
  chat: Chat,
  store: OwnerStore,
  event: StoreEvent,
): Promise<SessionEvent | undefined> {
  const news = event.data as ChatNews | ChatOrder | undefined;
  if (news === undefined) return undefined;
  try {
    switch (news.type) {
      case "reply.stop":
      case "compression.cancel":
        return undefined;
      case "session.created":
      case "session.updated":
        return { type: news.type, session: await toApiSession(chat, store, await store.sessions.get(news.sessionId)) };
      case "message.added":
      case "message.updated": {
        const record = await store.messages.get(news.sessionId, news.messageId);
        return { type: news.type, message: toApiMessage(record, await store.snapshots.activeSummary(news.sessionId)) };
      }
      case "usage.changed":
        return { ...news, usage: await measureUsage(chat, store, news.sessionId) };
      case "session.deleted":
        return { type: news.type, sessionId: news.sessionId };
      default:
        return news;
    }
  } catch (error) {
    if (isMidfoldError(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}
