import type { FoldMarker } from "../conversation/conversation-state.ts";

const phases = {
  waiting: "Waiting",
  counting: "Counting",
  summarizing: "Writing the summary",
  checking: "Checking what was kept",
  saving: "Saving",
} as const;

export function ProgressBar({ progress }: { readonly progress: FoldMarker["progress"] | null }) {
  const share = progress?.share ?? 0;
  return (
    <div>
      <div
        role="progressbar"
        aria-label="Progress of the summary"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        className="h-2 overflow-hidden rounded-full border border-line-strong bg-surface"
      >
        <div className="h-full bg-fold-line transition-[width]" style={{ width: `${Math.max(4, share * 100)}%` }} />
      </div>
      <p className="mt-1 truncate text-xs text-ink-soft">
        {phases[progress?.phase ?? "waiting"]}
        {progress != null && progress.attempt > 1 && ` · attempt ${progress.attempt}`}
        {progress?.text !== undefined && ` · ${progress.text}`}
      </p>
    </div>
  );
}
