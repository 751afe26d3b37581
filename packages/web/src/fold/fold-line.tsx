import { useQuery } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import type { CompressionPreview } from "../api/types.gen.ts";
import { formatTokens, plural } from "../ui/format.ts";

interface FoldLineProps {
  readonly sessionId: string;
  readonly preview: CompressionPreview;
  readonly chosen: string | undefined;
  readonly onChange: (messageId: string) => void;
}

/** Where the fold ends, dragged over the places where it may. */
export function FoldLine({ sessionId, preview, chosen, onChange }: FoldLineProps) {
  const { cuts } = preview;
  const wanted = chosen ?? preview.foldLine?.messageId;
  const found = cuts.findIndex(({ messageId }) => messageId === wanted);
  const index = found < 0 ? cuts.length - 1 : found;
  const cut = cuts[index];
  const { data } = useQuery({
    queryKey: ["session", sessionId, "message", cut?.messageId],
    queryFn: () => api.getMessage(sessionId, cut?.messageId ?? ""),
    enabled: cut !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (cut === undefined) return null;
  const text = `folds ${plural(cut.messages, "message")} (${formatTokens(cut.foldedTokens)} tokens), keeps ${formatTokens(cut.keptTokens)} tokens`;
  return (
    <div className="grid gap-1 text-sm">
      <label className="grid gap-1">
        <span>
          Fold line: <span className="text-ink-soft">{text}</span>
        </span>
        <input
          type="range"
          className="w-full accent-(--fold-line)"
          min={0}
          max={cuts.length - 1}
          step={1}
          value={index}
          aria-valuetext={text}
          onChange={(event) => {
            const next = cuts[Number(event.target.value)];
            if (next !== undefined) onChange(next.messageId);
          }}
        />
      </label>
      <p className="truncate border-b-2 border-dashed border-fold-line pb-1 text-xs text-ink-soft">
        Last folded: {data === undefined ? "…" : `${data.role}: ${data.text.slice(0, 160) || "(no words)"}`}
      </p>
    </div>
  );
}
