import { Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { IconButton } from "../ui/icon-button.tsx";
import { MenuIcon, WarnIcon } from "../ui/icons.tsx";
import { Toasts } from "../ui/toast.tsx";
import { AccessDialog } from "./access-dialog.tsx";
import { useCommands } from "./commands.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useSessionFeed } from "./use-session-feed.ts";

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
