import type { Chat } from "../chat.ts";
import { foldKey, replyKey } from "../turn/running-work.ts";
import type { StopRequest } from "./publish-event.ts";

/** Lets other replicas stop replies and folds that run in this process, until the returned function is called. */
export function listenForStops({ store, running }: Chat): Promise<() => void> {
  return store.events.subscribe(({ data }) => {
    const request = data as StopRequest | undefined;
    if (request?.type === "reply.stop") running.abort(replyKey(store.owner, request.sessionId));
    if (request?.type === "fold.cancel") running.abort(foldKey(request.foldId));
  });
}
