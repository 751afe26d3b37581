import { useQuery } from "@tanstack/react-query";
import { diffLines, diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { SummaryDetail } from "../api/types.gen.ts";
import { formatCount, plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";

const mostMessages = 1000;
/** Beyond this length a comparison word by word would block the page. */
const longestByWords = 40_000;

/** What the fold removed and what it kept, word by word; for later versions, what changed since. */
export function SummaryDiff({ detail }: { readonly detail: SummaryDetail }) {
  const { sessionId } = detail;
  const list = useQuery({ queryKey: keys.summaries(sessionId), queryFn: () => api.listSummaries(sessionId) });
  const before = list.data?.summaries.find(
    ({ id, foldId, version }) =>
      id === detail.previousSummaryId || (foldId === detail.foldId && version === detail.version - 1),
  );
  const originals = useQuery({
    queryKey: [...keys.summary(sessionId, detail.id), "originals"],
    queryFn: () => readOriginals(detail),
    enabled: list.data !== undefined && before === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const old = before?.text ?? originals.data;
  return (
    <div className="grid grid-cols-1 gap-3 text-sm">
      <p>
        <del className="rounded bg-alarm-soft px-1 text-alarm-ink no-underline">
          − {plural(detail.messagesIncluded, "message")}, {formatCount(detail.originalTokens)} tokens
        </del>{" "}
        <ins className="rounded bg-accent-soft px-1 text-ink no-underline">
          + one summary, {formatCount(detail.summaryTokens)} tokens
        </ins>
      </p>
      <p className="font-medium">
        {before === undefined ? "From the messages to the summary" : "Since the summary before"}
      </p>
      {originals.error !== null && <Notice tone="error">{wordsOf(originals.error)}</Notice>}
      {old === undefined ? originals.error === null && <Spinner /> : <Changes before={old} after={detail.text} />}
    </div>
  );
}

async function readOriginals({ sessionId, cutoffSequence }: SummaryDetail): Promise<string> {
  const speakers = { user: "User", assistant: "Assistant", tool: "Tool", system: "System" } as const;
  const { messages } = await api.listMessages(sessionId, { after: "0", limit: mostMessages });
  return messages
    .filter(({ sequence }) => sequence <= cutoffSequence)
    .map(({ role, text }) => `${speakers[role]}: ${text}`)
    .join("\n\n");
}

function Changes({ before, after }: { readonly before: string; readonly after: string }) {
  const pieces = useMemo(
    () =>
      before.length + after.length > longestByWords ? diffLines(before, after) : diffWordsWithSpace(before, after),
    [before, after],
  );
  let offset = 0;
  return (
    <section aria-label="Changes" tabIndex={0} className="max-h-96 overflow-y-auto whitespace-pre-wrap wrap-anywhere">
      {pieces.map(({ added, removed, value }) => {
        offset += value.length;
        if (added)
          return (
            <ins key={offset} className="bg-accent-soft no-underline">
              {value}
            </ins>
          );
        if (removed)
          return (
            <del key={`${offset}-`} className="bg-alarm-soft text-alarm-ink">
              {value}
            </del>
          );
        return <span key={offset}>{value}</span>;
      })}
    </section>
  );
}
