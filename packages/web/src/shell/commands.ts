import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { applyTheme, isDark } from "./theme.ts";
import { useNewSession } from "./use-new-session.ts";

/** Something the app can do from anywhere: by its keys, or by its name in the palette. */
export interface Command {
  readonly name: string;
  /** As shown in the help and parsed by `isPressed`: modifiers first, one key last. */
  readonly keys?: readonly string[];
  readonly run: () => void;
}

/** The event sent for a command that the open page handles. */
export const commandEvent = "midfold:command";

/** The commands available now. Those about a conversation only while one is open. */
export function useCommands({ showHelp, showPalette }: Record<"showHelp" | "showPalette", () => void>) {
  const navigate = useNavigate();
  const { sessionId } = useParams({ strict: false });
  const { create, loadExample } = useNewSession();
  const commands = useMemo((): readonly Command[] => {
    const tell = (detail: string) => () => dispatchEvent(new CustomEvent(commandEvent, { detail }));
    const ofSession: readonly Command[] =
      sessionId === undefined
        ? []
        : [
            { name: "Summarize conversation history", keys: ["Alt", "S"], run: tell("summarize") },
            {
              name: "Full history of this conversation",
              keys: ["Alt", "H"],
              run: () => void navigate({ to: "/s/$sessionId/history", params: { sessionId } }),
            },
            {
              name: "What the model sees",
              keys: ["Alt", "V"],
              run: () => void navigate({ to: "/s/$sessionId/view", params: { sessionId } }),
            },
            {
              name: "Settings of this conversation",
              run: () => void navigate({ to: "/settings", search: { scope: `session:${sessionId}` } }),
            },
          ];
    return [
      { name: "Go to a conversation, or do something", keys: ["Ctrl", "K"], run: showPalette },
      { name: "New conversation", keys: ["Ctrl", "Shift", "O"], run: () => create() },
      ...ofSession,
      { name: "Load a long example", run: () => loadExample() },
      { name: "Providers", run: () => void navigate({ to: "/providers" }) },
      { name: "Gateway console", run: () => void navigate({ to: "/console" }) },
      { name: "Playground", run: () => void navigate({ to: "/playground" }) },
      { name: "Settings", run: () => void navigate({ to: "/settings" }) },
      { name: "Light or dark theme", run: () => applyTheme(isDark() ? "light" : "dark") },
      { name: "Keyboard shortcuts", keys: ["?"], run: showHelp },
    ];
  }, [navigate, sessionId, create, loadExample, showHelp, showPalette]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
      const command = commands.find(({ keys }) => keys !== undefined && isPressed(event, keys));
      if (command !== undefined) {
        event.preventDefault();
        command.run();
      } else if (isLooseWriting(event)) {
        const target = document.getElementById("composer") ?? document.getElementById("page-search");
        // Otherwise the "/" would be typed into the field that gets the focus.
        if (event.key === "/") event.preventDefault();
        target?.focus();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [commands]);
  return commands;
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest("input, textarea, select, [role='menu'], [role='listbox']") !== null);

function isPressed(event: KeyboardEvent, keys: readonly string[]): boolean {
  const key = keys.at(-1) ?? "";
  const withCtrl = keys.includes("Ctrl");
  const withAlt = keys.includes("Alt");
  if ((event.ctrlKey || event.metaKey) !== withCtrl || event.altKey !== withAlt) return false;
  // Without a modifier, a key pressed in a text field is text.
  if (!withCtrl && !withAlt) return event.key === key && !isText(event.target);
  if (event.shiftKey !== keys.includes("Shift")) return false;
  // By position on the keyboard: Alt + S types another letter on a Mac.
  return event.code === `Key${key}`;
}

/** Whether somebody types while no text field has the focus. */
function isLooseWriting(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isText(event.target)) return false;
  return event.key.length === 1 && event.key !== " ";
}
