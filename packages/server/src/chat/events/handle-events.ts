import { isMidfoldError } from "@midfold/core";
import type { StoreEvent } from "@midfold/store";
import type { SessionEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";
import { measureUsage } from "../context/measure-usage.ts";
import type { Handler } from "../http/handler.ts";
import { eventResponse } from "../http/write-events.ts";
import { toApiMessage } from "../sessions/to-api-message.ts";
import { toApiSession } from "../sessions/to-api-session.ts";
import { queueEvents } from "../turn/queue-events.ts";
import type { ChatEvent, StopRequest } from "./publish-event.ts";

/** A reader this many events behind is dropped; the browser reconnects and reads the state again. */
const longestBacklog = 1000;

export const sessionEvents: Handler<"sessionEvents"> = async ({ chat, params, signal }) => {
  await chat.store.sessions.get(params.sessionId);
  return follow(chat, signal, (event) => event.sessionId === params.sessionId || event.sessionId === undefined);
};

export const allEvents: Handler<"allEvents"> = ({ chat, signal }) =>
  follow(chat, signal, (event) => event.type.startsWith("session.") || event.type === "settings.changed");

async function follow(chat: Chat, signal: AbortSignal, wanted: (event: StoreEvent) => boolean): Promise<Response> {
  const queue = queueEvents<StoreEvent>();
  // Subscribed before the answer begins, so that a client with a response misses nothing that happens afterwards.
  const unsubscribe = await chat.store.events.subscribe((event) => {
    if (wanted(event) && queue.push(event) > longestBacklog) queue.stop();
  });
  signal.addEventListener("abort", queue.stop, { once: true });
  if (signal.aborted) queue.stop();

  async function* events(): AsyncGenerator<SessionEvent | { readonly type: "open" }> {
    // Sent at once, so that proxies and browsers do not wait for the first event.
    yield { type: "open" };
    for await (const event of queue) {
      const hydrated = await hydrateEvent(chat, event);
      if (hydrated !== undefined) yield hydrated;
    }
  }
  return eventResponse(events(), {
    onClose: () => {
      queue.stop();
      unsubscribe();
    },
  });
}

/**
 * Completes an event with the record it is about, as the API shows it; undefined for stop requests and for records that
 * no longer exist.
 */
async function hydrateEvent(chat: Chat, event: StoreEvent): Promise<SessionEvent | undefined> {
  const news = event.data as ChatEvent | StopRequest | undefined;
  if (news === undefined) return undefined;
  try {
    switch (news.type) {
      case "reply.stop":
      case "fold.cancel":
        return undefined;
      case "session.created":
      case "session.updated":
        return { type: news.type, session: await toApiSession(chat, await chat.store.sessions.get(news.sessionId)) };
      case "message.added":
      case "message.updated": {
        const record = await chat.store.messages.get(news.sessionId, news.messageId);
        return {
          type: news.type,
          message: toApiMessage(record, await chat.store.snapshots.activeSummary(news.sessionId)),
        };
      }
      case "usage.changed":
        return { ...news, usage: await measureUsage(chat, news.sessionId) };
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
