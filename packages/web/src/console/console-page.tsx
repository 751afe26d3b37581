import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";
import { wordsOf } from "../api/api-error.ts";
import { NotFound } from "../shell/not-found.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { ConversationPage } from "./conversation-page.tsx";
import { ago } from "./outcome-words.ts";
import { RequestPage } from "./request-page.tsx";
import { RequestsPage } from "./requests-page.tsx";
import { SavingsPage } from "./savings-page.tsx";
import { SizeBar } from "./size-bar.tsx";
import { useNow } from "./status-strip.tsx";
import { useListKeys } from "./use-list-keys.ts";

const sections = [
  { name: "requests", label: "Requests" },
  { name: "conversations", label: "Conversations" },
  { name: "savings", label: "Savings" },
] as const;

/** What the gateway did. Chooses the page below `/console`. */
export function ConsolePage() {
  const { _splat = "" } = useParams({ strict: false }) as { _splat?: string };
  const [section = "", id = ""] = _splat.split("/");
  const here = section === "" ? "requests" : section;
  return (
    <>
      <PageHeader title="Gateway console" />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-6xl space-y-4 p-3 sm:p-5">
          <nav aria-label="Console" className="flex gap-1 overflow-x-auto">
            {sections.map(({ name, label }) => (
              <Link
                key={name}
                to={name === "requests" ? "/console" : "/console/$"}
                params={name === "requests" ? {} : { _splat: name }}
                aria-current={here === name ? "page" : undefined}
                className={`rounded-lg px-3 py-1.5 text-sm ${here === name ? "bg-accent-soft font-medium" : "text-ink-soft hover:bg-sunken hover:text-ink"}`}
              >
                {label}
              </Link>
            ))}
          </nav>
          {choose(section, id)}
        </div>
      </div>
    </>
  );
}

function choose(section: string, id: string): ReactNode {
  if (section === "") return <RequestsPage />;
  if (section === "requests") return id === "" ? <RequestsPage /> : <RequestPage key={id} id={id} />;
  if (section === "conversations") return id === "" ? <ConversationsPage /> : <ConversationPage key={id} id={id} />;
  if (section === "savings") return <SavingsPage />;
  return <NotFound />;
}

/** The conversations of the gateway, each with its size before and after the last fold. */
function ConversationsPage() {
  const list = useQuery({
    queryKey: consoleKeys.conversations,
    queryFn: consoleApi.listConversations,
    refetchInterval: 5_000,
  });
  const now = useNow(5_000);
  useListKeys(useCallback(() => undefined, []));
  if (list.isPending) return <Spinner />;
  if (list.error !== null) return <Notice tone="error">{wordsOf(list.error)}</Notice>;
  const { items } = list.data;
  if (items.length === 0) {
    return (
      <Notice>
        No conversation yet. Requests that continue one another are recognised by their first messages and shown here as
        one conversation.
      </Notice>
    );
  }
  return (
    <section aria-label="Conversations" className="overflow-hidden rounded-2xl border border-line bg-surface">
      {items.map((item) => (
        <Link
          key={item.id}
          to="/console/$"
          params={{ _splat: `conversations/${item.id}` }}
          data-row
          className="grid gap-x-4 gap-y-1 border-t border-line px-4 py-2.5 text-sm first:border-t-0 hover:bg-sunken focus-visible:bg-sunken focus-visible:-outline-offset-2 sm:grid-cols-[minmax(0,1.2fr)_minmax(0,1.5fr)_9rem_6rem] sm:items-center"
        >
          <span className="min-w-0">
            {item.title !== null && <span className="block truncate font-medium">{item.title}</span>}
            <span className="block truncate">
              <span className={item.title === null ? "font-medium" : "text-ink-soft"}>
                {item.client === "" ? "unnamed client" : item.client}
              </span>{" "}
              <span className="text-ink-soft">{item.model}</span>
            </span>
          </span>
          <SizeBar
            received={item.tokensBefore}
            sent={item.tokensAfter}
            scale={Math.max(item.tokensBefore, item.window)}
            exact
          />
          <span className="text-ink-soft">
            {plural(item.requests, "request")}, {plural(item.folds, "fold")}
          </span>
          <span className="text-ink-soft sm:text-right">{ago(item.lastAt, now)}</span>
        </Link>
      ))}
    </section>
  );
}
