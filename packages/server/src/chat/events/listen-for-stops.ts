import type { OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { foldKey, replyKey } from "../turn/running-work.ts";
import type { StopRequest } from "./publish-event.ts";

interface Listening {
  count: number;
  readonly stop: Promise<() => void>;
}

// Per chat: one subscription per owner while that owner has work running here.
const listeners = new WeakMap<Chat, Map<string, Listening>>();

/** Lets other replicas stop replies and folds that run in this process, until the returned function is called. */
export async function listenForStops(chat: Chat, store: OwnerStore): Promise<() => void> {
  const byOwner = listeners.get(chat) ?? new Map<string, Listening>();
  listeners.set(chat, byOwner);
  let entry = byOwner.get(store.owner);
  if (entry === undefined) {
    entry = {
      count: 0,
      stop: store.events.subscribe((event) => stopWork(chat, store.owner, event.data as StopRequest | undefined)),
    };
    byOwner.set(store.owner, entry);
  }
  const mine = entry;
  mine.count++;
  await mine.stop;
  return () => {
    mine.count--;
    if (mine.count > 0) return;
    if (byOwner.get(store.owner) === mine) byOwner.delete(store.owner);
    void mine.stop.then((stop) => stop());
  };
}

function stopWork(chat: Chat, owner: string, request: StopRequest | undefined): void {
  if (request?.type === "reply.stop") chat.running.abort(replyKey(owner, request.sessionId));
  if (request?.type === "fold.cancel") chat.running.abort(foldKey(request.foldId));
}
