import type { ChatFoldEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";

/**
 * What replicas tell each other: ids, not contents. A listener reads the record from the store, so no event exceeds the
 * size limit of a database notification, and none shows a state older than the store's.
 */
export type ChatEvent =
  | ChatFoldEvent
  | { readonly type: "session.created" | "session.updated" | "session.deleted"; readonly sessionId: string }
  | { readonly type: "message.added" | "message.updated"; readonly sessionId: string; readonly messageId: string }
  | { readonly type: "summary.changed"; readonly sessionId: string; readonly activeId: string | null }
  | { readonly type: "usage.changed"; readonly sessionId: string }
  | { readonly type: "settings.changed"; readonly scope: string };

/** Asks the replica that runs the work to stop it. */
export type StopRequest =
  | { readonly type: "reply.stop"; readonly sessionId: string }
  | { readonly type: "fold.cancel"; readonly sessionId: string; readonly foldId: string };

/** Tells every replica. An event that cannot be published is logged; the work it reports on goes on. */
export async function publishEvent(chat: Chat, event: ChatEvent | StopRequest): Promise<void> {
  try {
    const sessionId = "sessionId" in event ? { sessionId: event.sessionId } : {};
    await chat.store.events.publish({ type: event.type, ...sessionId, data: event });
  } catch (error) {
    chat.log.warn({ err: error, event: event.type }, "a live event could not be published");
  }
}

/** Tells that a session has another active summary, and so another size. */
export async function publishSummaryChanged(chat: Chat, sessionId: string, activeId: string | null): Promise<void> {
  await publishEvent(chat, { type: "summary.changed", sessionId, activeId });
  await publishEvent(chat, { type: "session.updated", sessionId });
  await publishEvent(chat, { type: "usage.changed", sessionId });
}
