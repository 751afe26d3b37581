import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { keys } from "../api/keys.ts";
import { putNews, readAgain } from "../api/stay-current.ts";
import type { SessionEvent } from "../api/types.gen.ts";
import { watchEvents } from "../api/watch-events.ts";
import { type Conversation, conversationOf } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";

/** A session's conversation, kept current by its events while the page is open. */
export function useConversation(sessionId: string): readonly [ConversationState, Conversation] {
  const client = useQueryClient();
  const conversation = conversationOf(sessionId);
  useEffect(() => {
    const forget = conversation.onEvent((event) => {
      if (event.type === "usage.changed" || event.type === "turn.end") {
        client.setQueryData(keys.usage(sessionId), event.usage);
        // A turn's own stream and the session's events overtake each other: the figure shown may be the older one.
        readAgain(client, keys.usage(sessionId));
      } else if (event.type === "summary.changed" || event.type === "fold.done") {
        readAgain(client, keys.summaries(sessionId));
      } else if (event.type === "session.updated") {
        putNews(client, keys.session(sessionId), event.session);
      }
      if (event.type === "turn.end" || event.type === "summary.changed") {
        readAgain(client, keys.turns(sessionId));
        readAgain(client, ["session", sessionId, "model-view"]);
      }
    });
    const stop = watchEvents<SessionEvent>(`/sessions/${encodeURIComponent(sessionId)}/events`, {
      onEvent: conversation.receive,
      onOpen: (again) => {
        void (again ? conversation.reload() : conversation.catchUp().catch(() => undefined));
      },
    });
    conversation.open();
    return () => {
      stop();
      forget();
    };
  }, [client, conversation, sessionId]);
  return [useSyncExternalStore(conversation.subscribe, conversation.get), conversation];
}
