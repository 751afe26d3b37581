import type { OwnerStore, StoreEvent } from "@midfold/store";
import type { SessionEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";
import type { Handler } from "../http/handler.ts";
import { eventResponse } from "../http/write-events.ts";
import { hydrateEvent } from "./hydrate-event.ts";

/** A reader this far behind is dropped; the browser reconnects and reads the state anew. */
const longestBacklog = 1000;

export const sessionEvents: Handler<"sessionEvents"> = async ({ chat, store, params, signal }) => {
  await store.sessions.get(params.sessionId);
  return follow(chat, store, signal, (event) => event.sessionId === params.sessionId || event.sessionId === undefined);
};

export const allEvents: Handler<"allEvents"> = ({ chat, store, signal }) =>
  follow(chat, store, signal, (event) => event.type.startsWith("session.") || event.type === "settings.changed");

async function follow(
  chat: Chat,
  store: OwnerStore,
  signal: AbortSignal,
  wanted: (event: StoreEvent) => boolean,
): Promise<Response> {
  const backlog: StoreEvent[] = [];
  let wake: () => void = () => {};
  let open = true;
  const stop = () => {
    open = false;
    wake();
  };
  // Subscribed before the answer begins: whoever has the response misses nothing that happens after it.
  const unsubscribe = await store.events.subscribe((event) => {
    if (!wanted(event)) return;
    if (backlog.push(event) > longestBacklog) stop();
    wake();
  });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();

  async function* events(): AsyncGenerator<SessionEvent | { readonly type: "open" }> {
    // Says at once that the stream is live, so that proxies and browsers do not wait for the first event.
    yield { type: "open" };
    while (open) {
      const event = backlog.shift();
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const hydrated = await hydrateEvent(chat, store, event);
      if (hydrated !== undefined) yield hydrated;
    }
  }
  return eventResponse(events(), {
    onClose: () => {
      stop();
      unsubscribe();
    },
  });
}
