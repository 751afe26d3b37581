import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { ChatFoldPreview, ChatFoldRequest } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { formatCost, formatCount, formatPercent, formatTokens, plural, sentence } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Select } from "../ui/select.tsx";
import { Spinner } from "../ui/spinner.tsx";

interface FoldFormProps {
  readonly sessionId: string;
  readonly request: ChatFoldRequest;
  readonly onChange: (request: ChatFoldRequest) => void;
  readonly onStart: () => void;
  readonly onCancel: () => void;
}

const styles = ["concise", "balanced", "detailed"] as const;

export function FoldForm({ sessionId, request, onChange, onStart, onCancel }: FoldFormProps) {
  const settled = useSettled(request);
  const { data, error } = useQuery({
    queryKey: ["session", sessionId, "fold-preview", settled],
    queryFn: ({ signal }) => api.previewFold(sessionId, settled, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const models = useQuery({ queryKey: keys.models, queryFn: api.listModels });
  const usable = models.data?.models.filter(({ available }) => available) ?? [];
  const set = (change: Partial<ChatFoldRequest>) => onChange({ ...request, ...change });
  if (error !== null) return <Notice tone="error">{wordsOf(error)}</Notice>;
  if (data === undefined) return <Spinner label="Counting" />;
  return (
    <Form className="grid grid-cols-1 gap-4" onSubmit={onStart}>
      <Counts preview={data} />
      {data.warnings.map(({ code, message }) => (
        <Notice key={code} tone="warn">
          {message}
        </Notice>
      ))}
      {data.cuts.length > 1 && (
        <FoldLine
          sessionId={sessionId}
          preview={data}
          chosen={request.throughMessageId}
          onChange={(throughMessageId) => set({ throughMessageId })}
        />
      )}
      <div className="grid grid-cols-1 gap-3 text-sm sm:grid-cols-2">
        <label className="grid content-start gap-1">
          Keep the newest tokens as they are
          <input
            className="field"
            type="number"
            min={0}
            step={500}
            placeholder="0: summarize everything"
            value={request.retentionTokens ?? ""}
            onChange={(event) =>
              set({
                throughMessageId: undefined,
                retentionTokens:
                  event.target.value === "" ? undefined : Math.max(0, Math.round(Number(event.target.value))),
              })
            }
          />
        </label>
        <label className="grid content-start gap-1">
          Model that writes the summary
          <Select
            value={request.model ?? ""}
            onChange={(model) => set({ model: model === "" ? undefined : model })}
            options={[
              ["", `The usual: ${data.summarizer.model ?? "built in, no model"}`],
              ...usable.map(({ id }) => [id, id] as const),
            ]}
          />
        </label>
        <label className="grid content-start gap-1">
          Length
          <Select
            value={request.style ?? ""}
            onChange={(chosen) => set({ style: styles.find((style) => style === chosen) })}
            options={[["", "Default"], ...styles.map((style) => [style, style] as const)]}
          />
        </label>
        <label className="grid content-start gap-1">
          What it should keep in focus
          <textarea
            className="field min-h-10"
            rows={2}
            maxLength={10_000}
            placeholder="Optional, such as: decisions about the database"
            value={request.instructions ?? ""}
            onChange={(event) => set({ instructions: event.target.value === "" ? undefined : event.target.value })}
          />
        </label>
      </div>
      <p className="text-xs text-ink-soft">
        {sentence(data.summarizer.why)} Nothing is deleted: the messages stay in the full history, and one click undoes
        it.
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={!data.possible}>
          Summarize {plural(data.messagesToSummarize, "message")}
        </Button>
      </div>
    </Form>
  );
}

function Counts({ preview }: { readonly preview: ChatFoldPreview }) {
  const { tokens } = preview;
  const rows = [
    ["In this conversation", plural(preview.totalMessages, "message")],
    [
      "To be summarized",
      `${plural(preview.messagesToSummarize, "message")}${preview.includesPreviousSummary ? " and the summary so far" : ""}`,
    ],
    ["Kept as they are", plural(preview.messagesToKeep, "message")],
    [
      "Next request",
      `${formatCount(tokens.before)} → about ${formatCount(tokens.after)} tokens${tokens.afterLow === tokens.afterHigh ? "" : ` (${formatTokens(tokens.afterLow)} to ${formatTokens(tokens.afterHigh)})`}`,
    ],
    [
      "Reduction",
      preview.reductionPercent > 0
        ? `about ${formatPercent(preview.reductionPercent)}`
        : "none: it would not get smaller",
    ],
    [
      "Cost",
      `${formatCost(preview.costUsd)}${preview.breakEvenTurns === null ? "" : `, pays off after ${plural(preview.breakEvenTurns, "turn")}`}`,
    ],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-1 rounded-xl bg-sunken px-4 py-3 text-sm">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-soft">{name}</dt>
          <dd className="font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The request, once it has not changed for a moment. */
function useSettled(request: ChatFoldRequest): ChatFoldRequest {
  const [settled, setSettled] = useState(request);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(request), 250);
    return () => clearTimeout(timer);
  }, [request]);
  return settled;
}

interface FoldLineProps {
  readonly sessionId: string;
  readonly preview: ChatFoldPreview;
  readonly chosen: string | undefined;
  readonly onChange: (messageId: string) => void;
}

/** Where the fold ends; can be dragged to the allowed places. */
function FoldLine({ sessionId, preview, chosen, onChange }: FoldLineProps) {
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
  const text = `summarizes ${plural(cut.messages, "message")} (${formatTokens(cut.foldedTokens)} tokens), keeps ${formatTokens(cut.keptTokens)} tokens`;
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
        Last summarized: {data === undefined ? "…" : `${data.role}: ${data.text.slice(0, 160) || "(no words)"}`}
      </p>
    </div>
  );
}
