import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { shortcutEvent } from "./shortcuts.ts";
import { useNewSession } from "./use-new-session.ts";

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const byId = (id: string): boolean => {
  const element = document.getElementById(id);
  element?.focus();
  return element !== null;
};

export function useShortcuts({ showHelp }: { readonly showHelp: () => void }): void {
  const navigate = useNavigate();
  const { sessionId } = useParams({ strict: false });
  const { create } = useNewSession();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isWriting(event.target) || document.querySelector("dialog[open]") !== null) return;
      const to = (path: "/s/$sessionId/history" | "/s/$sessionId/view") => {
        if (sessionId !== undefined) void navigate({ to: path, params: { sessionId } });
      };
      switch (event.key) {
        case "?":
          showHelp();
          break;
        case "n":
          create();
          break;
        case "/":
          if (!byId("composer") && !byId("page-search")) return;
          break;
        case "f":
          byId("session-search");
          break;
        case "h":
          to("/s/$sessionId/history");
          break;
        case "v":
          to("/s/$sessionId/view");
          break;
        case "s":
          dispatchEvent(new CustomEvent(shortcutEvent, { detail: "summarize" }));
          break;
        default:
          return;
      }
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [navigate, sessionId, create, showHelp]);
}
