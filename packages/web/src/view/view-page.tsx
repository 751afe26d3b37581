import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { ModelView } from "../api/types.gen.ts";
import { BackToConversation } from "../shell/back-to-conversation.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatCount, formatTime, plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { SeenMessages } from "./seen-messages.tsx";
import { TurnSlider } from "./turn-slider.tsx";

/** More of a raw body than this is for copying, not for reading. */
const longestShown = 200_000;

/** Exactly what goes to the model: the next request, or the one that led to a past reply. */
export function ViewPage() {
  const { sessionId } = useParams({ from: "/s/$sessionId/view" });
  const { turn } = useSearch({ from: "/s/$sessionId/view" });
  const navigate = useNavigate();
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section tabIndex={0} aria-label="Request" className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-4 px-4 py-4 sm:px-6">
          {(turns.data?.turns.length ?? 0) > 0 && (
            <TurnSlider
              turns={turns.data?.turns ?? []}
              turn={turn}
              onChange={(next) =>
                void navigate({
                  to: "/s/$sessionId/view",
                  params: { sessionId },
                  search: next === undefined ? {} : { turn: next },
                  replace: true,
                })
              }
            />
          )}
          {view.error !== null && <Notice tone="error">{wordsOf(view.error)}</Notice>}
          {view.data === undefined ? (
            view.error === null && <Spinner />
          ) : (
            <>
              <Facts view={view.data} next={turn === undefined} />
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0} className="max-h-[65dvh] overflow-auto px-3 pb-3 font-mono text-[12.5px]">
        {text.length > longestShown ? `${text.slice(0, longestShown)}\n… copy it to see the rest` : text}
      </pre>
    </figure>
  );
}
