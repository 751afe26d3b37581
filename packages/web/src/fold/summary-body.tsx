import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Summary, SummaryDetail } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Form } from "../ui/form.tsx";
import { EditIcon, RetryIcon, UndoIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Select } from "../ui/select.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { toast } from "../ui/toast.tsx";
import { SourcedText } from "./sourced-text.tsx";
import { SummaryDetails } from "./summary-details.tsx";
import { SummaryDiff } from "./summary-diff.tsx";
import { undoFold } from "./use-fold-news.ts";

/** What an opened summary shows: its text, the originals, the difference, the details. */
export function SummaryBody({ summary }: { readonly summary: Summary }) {
  const { sessionId, id } = summary;
  const { data, error } = useQuery({
    queryKey: keys.summary(sessionId, id),
    queryFn: () => api.getSummary(sessionId, id),
  });
  return (
    <>
      {error !== null && <Notice tone="error">{wordsOf(error)}</Notice>}
      {data === undefined ? error === null && <Spinner /> : <SummaryTabs detail={data} />}
    </>
  );
}

function SummaryTabs({ detail }: { readonly detail: SummaryDetail }) {
  const [editing, setEditing] = useState(false);
  if (editing) return <EditSummary detail={detail} onClose={() => setEditing(false)} />;
  return (
    <>
      <Tabs
        label="Summary views"
        tabs={[
          { id: "summary", label: "Summary", content: <SourcedText detail={detail} /> },
          {
            id: "original",
            label: `Original (${detail.messagesIncluded})`,
            content: <FoldedMessages summary={detail} />,
          },
          { id: "diff", label: "Diff", content: <SummaryDiff detail={detail} /> },
          { id: "details", label: "Details", content: <SummaryDetails detail={detail} /> },
        ]}
      />
      <SummaryActions detail={detail} onEdit={() => setEditing(true)} />
    </>
  );
}

const origins = { model: "model", extractive: "built in", edited: "edited", imported: "imported" } as const;

interface SummaryActionsProps {
  readonly detail: SummaryDetail;
  readonly onEdit: () => void;
}

function SummaryActions({ detail, onEdit }: SummaryActionsProps) {
  const { sessionId, id } = detail;
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: keys.summaries(sessionId), queryFn: () => api.listSummaries(sessionId) });
  const versions = (data?.summaries ?? []).filter(({ foldId }) => foldId === detail.foldId);
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
      await client.invalidateQueries({ queryKey: keys.summaries(sessionId) });
    } catch (error) {
      toast({ title: "That did not work", detail: wordsOf(error), tone: "error" });
    }
  };
  return (
    <div className="mt-3 flex flex-wrap items-center gap-1 border-t border-line pt-2">
      <CopyButton text={detail.text} label="Copy summary" />
      <Button kind="quiet" onClick={onEdit}>
        <EditIcon size={16} /> Edit
      </Button>
      <Button kind="quiet" onClick={() => void attempt(() => api.regenerateSummary(sessionId, id, {}))}>
        <RetryIcon size={16} /> Regenerate
      </Button>
      <Button kind="quiet" onClick={() => void undoFold(sessionId)}>
        <UndoIcon size={16} /> Undo
      </Button>
      {versions.length > 1 && (
        <label className="ml-auto flex items-center gap-2 text-sm text-ink-soft">
          Version
          <Select
            className="w-auto! px-2 py-1 text-ink"
            value={id}
            onChange={(chosen) => void attempt(() => api.activateSummary(sessionId, chosen))}
            options={versions.map((one) => [one.id, `${one.version} · ${origins[one.origin]}`])}
          />
        </label>
      )}
    </div>
  );
}

const perPage = 40;

/** The messages that a summary replaces, word for word, newest last. */
function FoldedMessages({ summary }: { readonly summary: Summary }) {
  const { sessionId } = summary;
  const { data, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: [...keys.summary(sessionId, summary.id), "original"],
    queryFn: ({ pageParam }) => api.listMessages(sessionId, { before: pageParam, limit: perPage }),
    initialPageParam: String(summary.cutoffSequence + 1),
    getNextPageParam: (page) => page.before ?? undefined,
  });
  const messages = (data?.pages ?? []).toReversed().flatMap((page) => page.messages);
  return (
    <div className="grid grid-cols-1 gap-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        {hasNextPage && (
          <Button kind="plain" disabled={isFetching} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        )}
        <Link to="/s/$sessionId/history" params={{ sessionId }} className="text-accent underline underline-offset-2">
          View full history
        </Link>
      </div>
      {data === undefined && <Spinner />}
      <section aria-label="Summarized messages" tabIndex={0} className="grid max-h-96 gap-2 overflow-y-auto">
        {messages.map((message) => (
          <div key={message.id} className="border-l-2 border-line pl-2.5">
            <p className="text-xs font-medium text-ink-soft capitalize">{message.role}</p>
            <p className="whitespace-pre-wrap wrap-anywhere">{message.text.slice(0, 2000) || "(no words)"}</p>
          </div>
        ))}
      </section>
    </div>
  );
}

function EditSummary({ detail, onClose }: { readonly detail: SummaryDetail; readonly onClose: () => void }) {
  const [text, setText] = useState(detail.text);
  const [problem, setProblem] = useState<string>();
  const client = useQueryClient();
  const save = async () => {
    try {
      await api.editSummary(detail.sessionId, detail.id, text);
      await client.invalidateQueries({ queryKey: keys.summaries(detail.sessionId) });
      onClose();
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  return (
    <Form className="grid gap-2 pt-2" onSubmit={() => void save()}>
      <textarea
        aria-label="Summary text"
        className="field min-h-56 text-sm"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {problem !== undefined && <Notice tone="error">{problem}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={text.trim() === "" || text === detail.text}>
          Save as a new version
        </Button>
      </div>
    </Form>
  );
}
