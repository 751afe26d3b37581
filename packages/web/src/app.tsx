import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, RouterProvider } from "@tanstack/react-router";
import { LucideProvider } from "lucide-react";
import { ApiError } from "./api/api-error.ts";
import { conversationOf } from "./conversation/conversation.ts";
import { AppShell } from "./shell/app-shell.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { RouteFailed } from "./shell/route-failed.tsx";
import { TooltipProvider } from "./ui/tooltip.tsx";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && !error.problem.retryable),
    },
  },
});

export function App() {
  return (
    <QueryClientProvider client={client}>
      <LucideProvider size={18} strokeWidth={1.8} className="shrink-0">
        <TooltipProvider>
          <RouterProvider router={router} />
        </TooltipProvider>
      </LucideProvider>
    </QueryClientProvider>
  );
}

const root = createRootRoute({ component: AppShell, notFoundComponent: NotFound, errorComponent: RouteFailed });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./shell/home-page.tsx"), "HomePage"),
});
const chat = createRoute({
  getParentRoute: () => root,
  path: "/s/$sessionId",
  loader: ({ params, preload }) => {
    if (!preload) conversationOf(params.sessionId).begin();
  },
  component: lazyRouteComponent(() => import("./chat/chat-page.tsx"), "ChatPage"),
});
const history = createRoute({
  getParentRoute: () => root,
  path: "/s/$sessionId/history",
  validateSearch: (search: Record<string, unknown>): { q?: string } => {
    // The router turns `12` and `true` into a number and a boolean; here they are search words.
    const q = String(search.q ?? "");
    return q === "" ? {} : { q };
  },
  component: lazyRouteComponent(() => import("./history/history-page.tsx"), "HistoryPage"),
});
const view = createRoute({
  getParentRoute: () => root,
  path: "/s/$sessionId/view",
  validateSearch: (search: Record<string, unknown>): { turn?: string } =>
    typeof search.turn === "string" && search.turn !== "" ? { turn: search.turn } : {},
  component: lazyRouteComponent(() => import("./view/view-page.tsx"), "ViewPage"),
});
/** The console has pages and filters of its own below this path. */
const consoleHome = createRoute({
  getParentRoute: () => root,
  path: "/console",
  component: lazyRouteComponent(() => import("./console/console-page.tsx"), "ConsolePage"),
});
const consoleDeep = createRoute({
  getParentRoute: () => root,
  path: "/console/$",
  component: lazyRouteComponent(() => import("./console/console-page.tsx"), "ConsolePage"),
});
const playground = createRoute({
  getParentRoute: () => root,
  path: "/playground",
  component: lazyRouteComponent(() => import("./playground/playground-page.tsx"), "PlaygroundPage"),
});
const providers = createRoute({
  getParentRoute: () => root,
  path: "/providers",
  component: lazyRouteComponent(() => import("./providers/providers-page.tsx"), "ProvidersPage"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  validateSearch: (search: Record<string, unknown>): { scope?: string } =>
    typeof search.scope === "string" ? { scope: search.scope } : {},
  component: lazyRouteComponent(() => import("./settings/settings-page.tsx"), "SettingsPage"),
});

const router = createRouter({
  routeTree: root.addChildren([home, chat, history, view, consoleHome, consoleDeep, playground, providers, settings]),
  defaultPreload: "intent",
  // The message list restores its own scroll position.
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
