import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { accessKey } from "../api/access-key.ts";
import { keys } from "../api/keys.ts";
import { putNews, readAgain } from "../api/stay-current.ts";
import type { SessionEvent } from "../api/types.gen.ts";
import { watchEvents } from "../api/watch-events.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { MenuIcon, WarnIcon } from "../ui/icons.tsx";
import { Toasts } from "../ui/toast.tsx";
import { useCommands } from "./commands.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { Sidebar } from "./sidebar.tsx";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

export function AppShell() {
  const [drawer, setDrawer] = useState(false);
  const [help, setHelp] = useState(false);
  const [palette, setPalette] = useState(false);
  const href = useRouterState({ select: (state) => state.location.href });
  const reached = useSessionFeed();
  const showHelp = useCallback(() => setHelp(true), []);
  const showPalette = useCallback(() => setPalette(true), []);
  const commands = useCommands({ showHelp, showPalette });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever was chosen in the drawer closes it.
  useEffect(() => setDrawer(false), [href]);
  useEffect(() => {
    if (!drawer) return;
    const close = (event: KeyboardEvent) => event.key === "Escape" && setDrawer(false);
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [drawer]);
  return (
    <div className="flex h-dvh overflow-hidden">
      <a
        href="#content"
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-lg bg-accent px-3 py-2 text-accent-ink focus:translate-y-0"
      >
        Skip to content
      </a>
      {drawer && (
        <button
          type="button"
          aria-label="Close navigation"
          className="fixed inset-0 z-20 bg-black/40 lg:hidden"
          onClick={() => setDrawer(false)}
        />
      )}
      <aside
        aria-label="Navigation"
        className={`fixed inset-y-0 left-0 z-30 w-72 border-r border-line bg-sunken transition-transform lg:static lg:visible lg:translate-x-0 ${drawer ? "translate-x-0 shadow-float" : "invisible -translate-x-full"}`}
      >
        <Sidebar onHelp={showHelp} />
      </aside>
      <main id="content" tabIndex={-1} className="relative flex min-w-0 flex-1 flex-col outline-none">
        <div className="absolute top-2 left-2 z-10 lg:hidden">
          <IconButton label="Open navigation" aria-expanded={drawer} onClick={() => setDrawer(true)}>
            <MenuIcon />
          </IconButton>
        </div>
        {!reached && (
          <p
            role="status"
            className="flex items-center justify-center gap-2 border-b border-warn bg-warn-soft py-1.5 pr-3 pl-13 text-sm"
          >
            <WarnIcon size={16} /> The server cannot be reached. Trying again…
          </p>
        )}
        <Outlet />
      </main>
      <Toasts />
      <ShortcutsDialog open={help} onClose={() => setHelp(false)} commands={commands} />
      {palette && (
        <Suspense>
          <Palette open onClose={() => setPalette(false)} commands={commands} />
        </Suspense>
      )}
      <AccessDialog />
    </div>
  );
}

/** Asks for a key when the server wants one. */
function AccessDialog() {
  const [open, setOpen] = useState(false);
  const [key, setKey] = useState("");
  useEffect(() => accessKey.onRefused(() => setOpen(true)), []);
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title="This server asks for a key">
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          accessKey.set(key.trim());
          location.reload();
        }}
      >
        <label className="grid gap-1 text-sm">
          Key, as whoever runs the server gave it to you. It stays in this tab.
          <input className="field" type="password" value={key} onChange={(event) => setKey(event.target.value)} />
        </label>
        <Button type="submit" kind="primary" disabled={key.trim() === ""}>
          Continue
        </Button>
      </form>
    </Dialog>
  );
}

/** Keeps lists and settings up to date with the server. False while the server cannot be reached. */
function useSessionFeed(): boolean {
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
