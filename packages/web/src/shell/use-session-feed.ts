import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { keys } from "../api/keys.ts";
import { putNews, readAgain } from "../api/stay-current.ts";
import type { SessionEvent } from "../api/types.gen.ts";
import { watchEvents } from "../api/watch-events.ts";

/** Keeps lists and settings current when anything changes anywhere. False while the server cannot be reached. */
export function useSessionFeed(): boolean {
  const client = useQueryClient();
  const [reached, setReached] = useState(true);
  useEffect(
    () =>
      watchEvents<SessionEvent>("/events", {
        onLost: () => setReached(false),
        onOpen: (again) => {
          setReached(true);
          if (again) void client.invalidateQueries();
        },
        onEvent: (event) => {
          if (event.type === "settings.changed") {
            readAgain(client, ["settings"]);
            readAgain(client, keys.models);
          } else if (event.type.startsWith("session.")) {
            if (event.type === "session.updated") putNews(client, keys.session(event.session.id), event.session);
            readAgain(client, keys.sessions);
          }
        },
      }),
    [client],
  );
  return reached;
}
