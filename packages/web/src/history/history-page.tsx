import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useRouterState, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import { createConversation } from "../chat/conversation.ts";
import { BackToConversation } from "../shell/back-to-conversation.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { formatCount, plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { HistoryList } from "./history-list.tsx";
import { HistorySearch } from "./history-search.tsx";

export function HistoryPage() {
  const { sessionId } = useParams({ from: "/s/$sessionId/history" });
  return <History key={sessionId} sessionId={sessionId} />;
}

/** Everything ever said in a session, whatever the model sees of it. */
function History({ sessionId }: { readonly sessionId: string }) {
  const { q = "" } = useSearch({ from: "/s/$sessionId/history" });
  const navigate = useNavigate();
  const hash = useRouterState({ select: (router) => router.location.hash });
  const [conversation] = useState(() => createConversation(sessionId, { hidden: true }));
  const state = useSyncExternalStore(conversation.subscribe, conversation.get);
  const session = useQuery({ queryKey: keys.session(sessionId), queryFn: () => api.getSession(sessionId) });
  const summaries = useQuery({ queryKey: keys.summaries(sessionId), queryFn: () => api.listSummaries(sessionId) });
  const active = useMemo(
    () => summaries.data?.summaries.find(({ id }) => id === summaries.data.activeId),
    [summaries.data],
  );
  const [target, setTarget] = useState<{ readonly messageId: string; readonly at: number }>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    const messageId = /^m-(.+)$/.exec(hash)?.[1];
    if (messageId === undefined) {
      if (conversation.get().phase === "loading") void conversation.reload();
      return;
    }
    conversation.showAround(messageId).then(
      () => setTarget({ messageId, at: Date.now() }),
      (error: unknown) => {
        setFailure(error);
        void conversation.reload();
      },
    );
  }, [hash, conversation]);
  const problem = failure ?? state.failure ?? session.error;
  return (
    <>
      <PageHeader title={`Full history · ${session.data?.title ?? "…"}`}>
        <BackToConversation sessionId={sessionId} />
      </PageHeader>
      <div className="border-b border-line bg-sunken px-4 py-2 sm:px-6">
        <div className="mx-auto grid grid-cols-1 max-w-3xl gap-2">
          <p className="text-sm text-ink-soft">
            {plural(state.total, "message")}, everything ever said here.{" "}
            {active === undefined
              ? "The model sees all that is not marked otherwise."
              : `${formatCount(active.messagesIncluded)} of them are not in the model’s view; it sees a summary instead.`}
          </p>
          <HistorySearch
            sessionId={sessionId}
            q={q}
            onSearch={(words) =>
              void navigate({
                to: "/s/$sessionId/history",
                params: { sessionId },
                search: words === "" ? {} : { q: words },
                replace: true,
              })
            }
            onPick={(messageId) =>
              void navigate({
                to: "/s/$sessionId/history",
                params: { sessionId },
                search: q === "" ? {} : { q },
                hash: `m-${messageId}`,
                replace: true,
              })
            }
          />
          {problem !== undefined && problem !== null && <Notice tone="error">{wordsOf(problem)}</Notice>}
        </div>
      </div>
      <HistoryList state={state} conversation={conversation} summary={active} target={target} />
    </>
  );
}
