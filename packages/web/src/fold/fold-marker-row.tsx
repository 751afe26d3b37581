import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { FoldMarker } from "../conversation/conversation-state.ts";
import { Button } from "../ui/button.tsx";
import { formatTime, plural } from "../ui/format.ts";
import { FoldIcon, WarnIcon } from "../ui/icons.tsx";
import { toast } from "../ui/toast.tsx";
import { ProgressBar } from "./progress-bar.tsx";

interface FoldMarkerRowProps {
  readonly marker: FoldMarker;
  readonly conversation: Conversation;
}

/** A fold that is running, failed or was put off; when it is done, the summary replaces it. */
export function FoldMarkerRow({ marker, conversation }: FoldMarkerRowProps) {
  const { sessionId } = conversation;
  if (marker.status !== "running") return <UnfoldedMarker marker={marker} conversation={conversation} />;
  return (
    <section
      aria-label="Summarizing"
      className="my-3 grid gap-2 rounded-xl border border-l-4 border-line border-l-fold-line bg-fold px-4 py-3 text-sm"
    >
      <div className="flex items-center gap-2">
        <span className="text-fold-ink">
          <FoldIcon />
        </span>
        <p className="flex-1" aria-live="polite">
          Folding {marker.messages > 0 ? plural(marker.messages, "message") : "messages"} into a summary…
        </p>
        <Button
          onClick={() => {
            api.cancelFold(sessionId, marker.foldId).catch((error: unknown) => {
              toast({ title: "It could not be cancelled", detail: wordsOf(error), tone: "error" });
            });
          }}
        >
          Cancel
        </Button>
      </div>
      <ProgressBar progress={marker.progress} />
    </section>
  );
}

/** A fold that failed or was put off, with the possible answers. */
function UnfoldedMarker({ marker, conversation }: FoldMarkerRowProps) {
  const { sessionId } = conversation;
  const { failure, skipped } = marker;
  const retry = async () => {
    try {
      const settings = await api.getSettings(`session:${sessionId}`);
      const kept = settings.values.retentionTokens?.value;
      conversation.dismissMarker();
      await api.startFold(sessionId, typeof kept === "number" ? { retentionTokens: kept } : {});
    } catch (error) {
      toast({ title: "It failed again", detail: wordsOf(error), tone: "error" });
    }
  };
  return (
    <section
      aria-label="Summarizing"
      className={`my-3 grid gap-2 rounded-xl border border-l-4 border-line px-4 py-3 text-sm ${failure === undefined ? "border-l-warn bg-warn-soft" : "border-l-alarm-ink bg-alarm-soft"}`}
    >
      <p className="flex items-start gap-2">
        <span className={failure === undefined ? "text-warn-ink" : "text-alarm-ink"}>
          <WarnIcon />
        </span>
        {failure === undefined ? <span>{skipped}</span> : <FailureWords failure={failure} />}
      </p>
      <div className="flex gap-2">
        <Button onClick={() => void retry()}>Try again</Button>
        <Button kind="quiet" onClick={conversation.dismissMarker}>
          Continue without
        </Button>
      </div>
    </section>
  );
}

/** What the model was sent instead. */
const sentInstead: Readonly<Record<NonNullable<FoldMarker["failure"]>["sentInstead"], string>> = {
  "full-history": "The full history was sent instead.",
  "earlier-summary": "The earlier summary and everything after it were sent instead.",
  "built-in-summary": "The built-in summarizer wrote the summary that was sent instead.",
  nothing: "Nothing was changed.",
};

function FailureWords({ failure }: { readonly failure: NonNullable<FoldMarker["failure"]> }) {
  return (
    <span>
      <strong className="font-semibold">The conversation could not be summarized.</strong> {failure.problem.detail}{" "}
      {sentInstead[failure.sentInstead]}
      {failure.breakerOpen && " Automatic summaries are paused after several failures."}
      {failure.retryAt !== null && ` It is tried again after ${formatTime(failure.retryAt)}.`}
    </span>
  );
}
