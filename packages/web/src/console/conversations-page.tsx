import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { wordsOf } from "../api/api-error.ts";
import { plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { ago } from "./outcome-words.ts";
import { SizeBar } from "./size-bar.tsx";
import { useNow } from "./status-strip.tsx";
import { useListKeys } from "./use-list-keys.ts";

export function ConversationsPage() {
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
