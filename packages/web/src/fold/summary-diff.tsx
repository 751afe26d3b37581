import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import type { SummaryDetail } from "../api/types.gen.ts";
import { formatCount, plural } from "../ui/format.ts";
import { diffWords } from "./diff-words.ts";

/** What left the model's view and what came instead; for later versions and folds, what changed since the one before. */
export function SummaryDiff({ detail }: { readonly detail: SummaryDetail }) {
  const { data } = useQuery({
    queryKey: keys.summaries(detail.sessionId),
    queryFn: () => api.listSummaries(detail.sessionId),
  });
  const before = data?.summaries.find(
    ({ id, foldId, version }) =>
      id === detail.previousSummaryId || (foldId === detail.foldId && version === detail.version - 1),
  );
  return (
    <div className="grid grid-cols-1 gap-3 text-sm">
      <p className="rounded-lg border border-line bg-surface px-3 py-2 text-alarm-ink">
        − {plural(detail.messagesIncluded, "message")}, {formatCount(detail.originalTokens)} tokens
      </p>
      <p className="rounded-lg border border-line bg-surface px-3 py-2 text-accent">
        + one summary, {formatCount(detail.summaryTokens)} tokens
      </p>
      {before === undefined ? (
        <div>
          <p className="mb-1 font-medium">The model gets, word for word</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
          <pre tabIndex={0} className="max-h-72 overflow-y-auto font-mono text-xs whitespace-pre-wrap wrap-anywhere">
            {detail.sentAs}
          </pre>
        </div>
      ) : (
        <div>
          <p className="mb-1 font-medium">Changed since the summary before</p>
          <Changes before={before.text} after={detail.text} />
        </div>
      )}
    </div>
  );
}

function Changes({ before, after }: { readonly before: string; readonly after: string }) {
  const pieces = useMemo(() => diffWords(before, after), [before, after]);
  let offset = 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section aria-label="Changes" tabIndex={0} className="max-h-72 overflow-y-auto whitespace-pre-wrap wrap-anywhere">
      {pieces.map(({ kind, text }) => {
        offset += text.length;
        if (kind === "added")
          return (
            <ins key={offset} className="bg-accent-soft no-underline">
              {text}
            </ins>
          );
        if (kind === "removed")
          return (
            <del key={`${offset}-`} className="bg-alarm-soft text-alarm-ink">
              {text}
            </del>
          );
        return <span key={offset}>{text}</span>;
      })}
    </section>
  );
}
