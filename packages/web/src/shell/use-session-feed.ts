import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { keys } from "../api/keys.ts";
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
            void client.invalidateQueries({ queryKey: ["settings"] });
            void client.invalidateQueries({ queryKey: keys.models });
          } else if (event.type.startsWith("session.")) {
            if (event.type === "session.updated") client.setQueryData(keys.session(event.session.id), event.session);
            void client.invalidateQueries({ queryKey: keys.sessions });
          }
        },
      }),
    [client],
  );
  return reached;
}
