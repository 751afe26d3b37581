import { useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { MessageHits } from "./message-hits.tsx";
import { SessionRow } from "./session-row.tsx";

export function SessionList() {
  const [search, setSearch] = useState("");
  const words = useDeferredValue(search.trim());
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keys.sessionList(words),
    queryFn: ({ pageParam }) => api.listSessions(words, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: (previous) => previous,
  });
  const sessions = data?.pages.flatMap((page) => page.sessions) ?? [];
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="px-3 pb-2">
        <input
          id="session-search"
          type="search"
          aria-label="Find a conversation"
          placeholder="Find a title or words"
          className="field py-1.5 text-sm"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      <nav aria-label="Conversations" className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {error !== null && <Notice tone="error">{wordsOf(error)}</Notice>}
        {data !== undefined && sessions.length === 0 && (
          <p className="px-2 py-3 text-sm text-ink-soft">
            {words === "" ? "No conversations yet." : "No title has these words."}
          </p>
        )}
        <ul>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
        {hasNextPage && (
          <Button kind="quiet" className="w-full" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        )}
        {words !== "" && <MessageHits words={words} />}
      </nav>
    </div>
  );
}
