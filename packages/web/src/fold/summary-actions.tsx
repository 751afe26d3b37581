import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { SummaryDetail } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { EditIcon, RetryIcon, UndoIcon } from "../ui/icons.tsx";
import { toast } from "../ui/toast.tsx";
import { undoFold } from "./use-fold-news.ts";

const origins = { model: "model", extractive: "built in", edited: "edited", imported: "imported" } as const;

interface SummaryActionsProps {
  readonly detail: SummaryDetail;
  readonly onEdit: () => void;
}

export function SummaryActions({ detail, onEdit }: SummaryActionsProps) {
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
          <select
            className="rounded-lg border border-line-strong bg-surface px-2 py-1 text-ink"
            value={id}
            onChange={(event) => void attempt(() => api.activateSummary(sessionId, event.target.value))}
          >
            {versions.map((version) => (
              <option key={version.id} value={version.id}>
                {version.version} · {origins[version.origin]}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
