import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useRouterState, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Message, SearchHit, Summary } from "../api/types.gen.ts";
import { MessageRow } from "../chat/message-row.tsx";
import { RowList, type Target } from "../chat/row-list.tsx";
import { toRows } from "../chat/rows.ts";
import { bringBack } from "../chat/take-out.ts";
import { type Conversation, createConversation } from "../conversation/conversation.ts";
import type { ConversationState } from "../conversation/conversation-state.ts";
import { BackToConversation } from "../shell/back-to-conversation.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount, formatTime, plural } from "../ui/format.ts";
import { Highlighted } from "../ui/highlighted.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { DownIcon, FoldIcon, LinkIcon, UndoIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { useAddressValue } from "../ui/use-address-value.ts";

export function HistoryPage() {
  const { sessionId } = useParams({ from: "/s/$sessionId/history" });
  return <History key={sessionId} sessionId={sessionId} />;
}

/** All messages of a session, whether the model still sees them or not. */
function History({ sessionId }: { readonly sessionId: string }) {
  const { q: addressed = "" } = useSearch({ from: "/s/$sessionId/history" });
  const navigate = useNavigate();
  const show = (words: string, hash = "") => {
    const search = words === "" ? {} : { q: words };
    void navigate({ to: "/s/$sessionId/history", params: { sessionId }, search, hash, replace: true });
  };
  const [q, setQ] = useAddressValue(addressed, show);
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
            onSearch={setQ}
            onPick={(messageId) => show(q, `m-${messageId}`)}
          />
          {problem !== undefined && problem !== null && <Notice tone="error">{wordsOf(problem)}</Notice>}
        </div>
      </div>
      <HistoryList state={state} conversation={conversation} summary={active} target={target} />
    </>
  );
}

interface HistoryListProps {
  readonly state: ConversationState;
  readonly conversation: Conversation;
  readonly summary: Summary | undefined;
  readonly target: Target | undefined;
}

function HistoryList({ state, conversation, summary, target }: HistoryListProps) {
  const rows = useMemo(
    () => toRows(state.messages, summary, undefined, state.after === null),
    [state.messages, summary, state.after],
  );
  return (
    <RowList label="Full history" rows={rows} state={state} conversation={conversation} target={target}>
      {(row) => {
        if (row.kind === "message") {
          return (
            <HistoryEntry
              message={row.message}
              folded={row.folded}
              marked={target?.messageId === row.key}
              onBringBack={({ sessionId, id }) => void bringBack(conversation, sessionId, id)}
            />
          );
        }
        if (row.kind === "marker") return null;
        return (
          <p className="my-3 flex items-center gap-2 rounded-xl border border-l-4 border-line border-l-fold-line bg-fold px-4 py-2.5 text-sm">
            <FoldIcon /> Up to here, {plural(row.summary.messagesIncluded, "message")} are not in the model’s view. From
            here on it reads word for word.
          </p>
        );
      }}
    </RowList>
  );
}

interface HistoryEntryProps {
  readonly message: Message;
  readonly folded: boolean;
  readonly marked: boolean;
  readonly onBringBack: (message: Message) => void;
}

function HistoryEntry({ message, folded, marked, onBringBack }: HistoryEntryProps) {
  const hidden = message.visibility === "hidden";
  return (
    <div>
      <p className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
        <Link
          to="/s/$sessionId/history"
          params={{ sessionId: message.sessionId }}
          hash={`m-${message.id}`}
          aria-label={`Link to message ${message.sequence}`}
          className="inline-flex items-center gap-1 rounded py-1 hover:text-ink"
        >
          <LinkIcon size={13} /> #{message.sequence}
        </Link>
        {formatTime(message.createdAt)}
        {hidden && (
          <>
            <PlaceBadge place="hidden" />
            <Button
              kind="quiet"
              className="min-h-7 px-1.5 py-0 text-xs text-accent"
              onClick={() => onBringBack(message)}
            >
              <UndoIcon size={13} /> Bring back
            </Button>
          </>
        )}
        {folded && !hidden && (
          <span className="rounded-full border border-dashed border-fold-line bg-fold px-2 py-px text-fold-ink">
            not in the model’s view
          </span>
        )}
      </p>
      <MessageRow message={message} folded={folded} marked={marked} />
    </div>
  );
}

interface HistorySearchProps {
  readonly sessionId: string;
  readonly q: string;
  readonly onSearch: (words: string) => void;
  readonly onPick: (messageId: string) => void;
}

function HistorySearch({ sessionId, q, onSearch, onPick }: HistorySearchProps) {
  const words = q.trim();
  const [at, setAt] = useState(-1);
  /** Where to go as soon as the hits for these words are loaded. */
  const [waiting, setWaiting] = useState<{ readonly words: string; readonly index: number }>();
  const { data, isPlaceholderData } = useQuery({
    queryKey: keys.search(sessionId, words),
    queryFn: () => api.searchSession(sessionId, words),
    enabled: words !== "",
    placeholderData: keepPreviousData,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words, other hits.
  useEffect(() => setAt(-1), [words]);
  const hits = words === "" ? [] : (data?.hits ?? []);
  const go = (index: number) => {
    // The list still shows hits of the previous words, which Enter must not open.
    if (isPlaceholderData || data === undefined) return setWaiting({ words, index });
    pick((index + hits.length) % hits.length);
  };
  const pick = (index: number) => {
    const hit = hits[index];
    if (hit === undefined) return;
    setAt(index);
    onPick(hit.messageId);
  };
  useEffect(() => {
    if (waiting === undefined || (waiting.words === words && (isPlaceholderData || data === undefined))) return;
    setWaiting(undefined);
    if (waiting.words === words) go(waiting.index);
  });
  return (
    <search className="grid gap-2">
      <div className="flex items-center gap-1">
        <SearchField
          id="page-search"
          label="Search everything ever said"
          className="py-1.5"
          value={q}
          onSearch={onSearch}
          onKeyDown={(event) => {
            if (event.key === "Enter") go(event.shiftKey ? at - 1 : at + 1);
          }}
        />
        {words !== "" && data !== undefined && (
          <output className="px-2 text-sm whitespace-nowrap text-ink-soft" aria-live="polite">
            {at >= 0 && `${at + 1} of `}
            {data.totalIsExact ? "" : "more than "}
            {formatCount(data.total)} {data.total === 1 ? "hit" : "hits"}
          </output>
        )}
        <IconButton label="Previous hit" disabled={hits.length === 0} onClick={() => go(at - 1)}>
          <span className="rotate-180">
            <DownIcon />
          </span>
        </IconButton>
        <IconButton label="Next hit" disabled={hits.length === 0} onClick={() => go(at + 1)}>
          <DownIcon />
        </IconButton>
      </div>
      {hits.length > 0 && (
        <ul aria-label="Hits" className="max-h-56 overflow-y-auto rounded-xl border border-line bg-surface text-sm">
          {hits.map((hit, index) => (
            <li key={hit.messageId} className="border-b border-line last:border-0">
              <button
                type="button"
                aria-current={index === at}
                onClick={() => pick(index)}
                className="flex w-full flex-wrap items-baseline gap-x-2 px-3 py-2 text-left hover:bg-sunken aria-current:bg-accent-soft"
              >
                <span className="text-xs text-ink-soft capitalize">{hit.role}</span>
                <PlaceBadge place={hit.place} />
                <span className="w-full wrap-anywhere">
                  <Highlighted {...hit} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}

const places: Readonly<Record<SearchHit["place"], { readonly words: string; readonly look: string }>> = {
  "in-context": { words: "in the model’s view", look: "bg-accent-soft text-ink" },
  "in-summary": { words: "folded, in the summary", look: "bg-fold text-fold-ink border border-fold-line" },
  folded: { words: "folded, only here", look: "bg-fold text-fold-ink border border-dashed border-fold-line" },
  hidden: { words: "replaced or taken out", look: "bg-sunken text-ink-soft border border-line" },
};

/** Whether the model sees a message: as it is, in a summary, or not at all. */
function PlaceBadge({ place }: { readonly place: SearchHit["place"] }) {
  const { words, look } = places[place];
  return <span className={`rounded-full px-2 py-px text-xs whitespace-nowrap ${look}`}>{words}</span>;
}
