import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { ModelView, TurnList } from "../api/types.gen.ts";
import { PartView } from "../chat/part-view.tsx";
import { BackToConversation } from "../shell/back-to-conversation.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { formatCount, formatTime, formatTokens, plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useAddressValue } from "../ui/use-address-value.ts";

/** Of a longer raw body only this much is shown; all of it can be copied. */
const longestShown = 200_000;

/** Exactly what the model is sent: the next request, or the one of a past reply. */
export function ViewPage() {
  const { sessionId } = useParams({ from: "/s/$sessionId/view" });
  const { turn: addressed } = useSearch({ from: "/s/$sessionId/view" });
  const navigate = useNavigate();
  const [turn, setTurn] = useAddressValue(addressed, (next) => {
    const search = next === undefined ? {} : { turn: next };
    void navigate({ to: "/s/$sessionId/view", params: { sessionId }, search, replace: true });
  });
  const session = useQuery({ queryKey: keys.session(sessionId), queryFn: () => api.getSession(sessionId) });
  const turns = useQuery({ queryKey: keys.turns(sessionId), queryFn: () => api.listTurns(sessionId), staleTime: 0 });
  const view = useQuery({
    queryKey: keys.modelView(sessionId, turn),
    queryFn: () => api.viewModel(sessionId, turn),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <>
      <PageHeader title={`What the model sees · ${session.data?.title ?? "…"}`}>
        <BackToConversation sessionId={sessionId} />
      </PageHeader>
      <section tabIndex={0} aria-label="Request" className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-4 px-4 py-4 sm:px-6">
          {(turns.data?.turns.length ?? 0) > 0 && (
            <TurnSlider turns={turns.data?.turns ?? []} turn={turn} onChange={setTurn} />
          )}
          {view.error !== null && <Notice tone="error">{wordsOf(view.error)}</Notice>}
          {view.data === undefined ? (
            view.error === null && <Spinner />
          ) : (
            <>
              <Facts view={view.data} next={view.data.turnId === null} />
              <Tabs
                label="Request views"
                tabs={[
                  {
                    id: "messages",
                    label: `Messages (${view.data.messages.length})`,
                    content: <SeenMessages view={view.data} sessionId={sessionId} />,
                  },
                  { id: "raw", label: "Raw request", content: <RawBody body={view.data.body} /> },
                ]}
              />
            </>
          )}
        </div>
      </section>
    </>
  );
}

function Facts({ view, next }: { readonly view: ModelView; readonly next: boolean }) {
  return (
    <p className="text-sm">
      {next ? "The next request" : `The request of ${formatTime(view.at)}`}:{" "}
      <strong className="font-semibold">{formatCount(view.tokens)} tokens</strong>
      {view.exact ? "" : " (estimated)"}
      {view.window !== null && ` of a window of ${formatCount(view.window)}`}, to {view.model} as {view.protocol}.{" "}
      {view.leftOut === 0
        ? "It contains every message of the session."
        : `${plural(view.leftOut, "message")} of the session ${view.leftOut === 1 ? "is" : "are"} not in it.`}
    </p>
  );
}

function RawBody({ body }: { readonly body: unknown }) {
  const text = JSON.stringify(body, null, 2) ?? "";
  return (
    <figure className="overflow-hidden rounded-xl border border-line bg-sunken">
      <figcaption className="flex items-center justify-between px-3 text-xs text-ink-soft">
        As it goes over the wire, without secrets
        <CopyButton text={text} label="Copy request" />
      </figcaption>
      <pre tabIndex={0} className="max-h-[65dvh] overflow-auto px-3 pb-3 font-mono text-[12.5px]">
        {text.length > longestShown ? `${text.slice(0, longestShown)}\n… copy it to see the rest` : text}
      </pre>
    </figure>
  );
}

const kinds = {
  system: { words: "system prompt", look: "bg-sunken text-ink-soft" },
  summary: { words: "summary", look: "bg-fold text-fold-ink border border-fold-line" },
  recalled: { words: "excerpts", look: "bg-fold text-fold-ink border border-fold-line" },
  recent: { words: "word for word", look: "bg-accent-soft text-ink" },
  draft: { words: "your draft", look: "bg-sunken text-ink" },
} as const;

function SeenMessages({ view, sessionId }: { readonly view: ModelView; readonly sessionId: string }) {
  if (view.messages.length === 0) return <p className="text-sm text-ink-soft">The request is empty so far.</p>;
  return (
    <ol className="grid grid-cols-1 gap-2">
      {view.messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a request have no ids of their own.
        <li key={index} className="[contain-intrinsic-size:auto_42px] [content-visibility:auto]">
          <Disclosure
            open={message.kind === "summary"}
            summary={
              <>
                <span className="w-16 shrink-0 text-xs text-ink-soft capitalize">{message.role}</span>
                <span className={`shrink-0 rounded-full px-2 py-px text-xs ${kinds[message.kind].look}`}>
                  {kinds[message.kind].words}
                </span>
                <span className="min-w-0 flex-1 truncate">{message.text.slice(0, 200)}</span>
                <span className="shrink-0 text-xs text-ink-soft tabular-nums">{formatCount(message.tokens)}</span>
              </>
            }
          >
            <div className="grid grid-cols-1 gap-2">
              {message.parts.map((part, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never move.
                <PartView key={place} part={part} plain />
              ))}
              {message.messageId !== null && (
                <Link
                  to="/s/$sessionId/history"
                  params={{ sessionId }}
                  hash={`m-${message.messageId}`}
                  className="text-xs text-accent underline underline-offset-2"
                >
                  In the full history
                </Link>
              )}
            </div>
          </Disclosure>
        </li>
      ))}
    </ol>
  );
}

interface TurnSliderProps {
  readonly turns: TurnList["turns"];
  /** Absent means the next request. */
  readonly turn: string | undefined;
  readonly onChange: (turn: string | undefined) => void;
}

/** Moves through the past turns; the bars show the sizes of their requests. */
function TurnSlider({ turns, turn, onChange }: TurnSliderProps) {
  const found = turns.findIndex(({ turnId }) => turnId === turn);
  const index = found < 0 ? turns.length : found;
  const chosen = turns[index];
  const text =
    chosen === undefined
      ? "the next request"
      : `turn ${index + 1} of ${turns.length}, ${formatTime(chosen.at)}, ${formatTokens(chosen.inputTokens)} tokens`;
  const largest = Math.max(1, ...turns.map(({ inputTokens }) => inputTokens));
  return (
    <div className="rounded-xl bg-sunken px-4 py-3 text-sm">
      <div aria-hidden="true" className="flex h-10 items-end gap-px">
        {turns.map(({ turnId, inputTokens, summaryId }, place) => (
          <span
            key={turnId}
            className={`min-w-0 flex-1 rounded-t-sm ${place === index ? "bg-accent" : summaryId === null ? "bg-line-strong" : "bg-fold-line"}`}
            style={{ height: `${Math.max(6, (inputTokens / largest) * 100)}%` }}
          />
        ))}
        <span className={`min-w-0 flex-1 rounded-t-sm ${chosen === undefined ? "h-full bg-accent" : "h-1 bg-line"}`} />
      </div>
      <label className="mt-1 grid gap-1">
        <input
          type="range"
          min={0}
          max={turns.length}
          step={1}
          value={index}
          aria-valuetext={text}
          className="w-full accent-(--accent)"
          onChange={(event) => onChange(turns[Number(event.target.value)]?.turnId)}
        />
        <span>Showing {text}</span>
      </label>
    </div>
  );
}
