import { useNavigate } from "@tanstack/react-router";
import type { CompressionResult } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { formatCost, formatCount, formatPercent, formatSeconds, plural } from "../ui/format.ts";
import { CheckIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { undoFold } from "./use-fold-news.ts";

interface CompressResultProps {
  readonly sessionId: string;
  readonly result: CompressionResult;
  readonly onClose: () => void;
}

export function CompressResult({ sessionId, result, onClose }: CompressResultProps) {
  const navigate = useNavigate();
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="flex items-center gap-2 font-medium">
        <span className="rounded-full bg-accent-soft p-1 text-accent">
          <CheckIcon />
        </span>
        Folded {plural(result.messagesSummarized, "message")}: {formatCount(result.tokensBefore)} →{" "}
        {formatCount(result.tokensAfter)} tokens, {formatPercent(result.reductionPercent)} less
      </p>
      <blockquote className="rounded-xl border border-l-4 border-line border-l-fold-line bg-fold px-4 py-3 text-sm wrap-anywhere">
        {result.preview}
      </blockquote>
      <p className="text-sm text-ink-soft">
        {formatSeconds(result.durationMs)}, {formatCost(result.costUsd)}
      </p>
      {result.fellBack && (
        <Notice tone="warn">The model failed, so the built-in summarizer wrote this. You can regenerate it.</Notice>
      )}
      {result.warnings.map(({ code, message }) => (
        <Notice key={code} tone="warn">
          {message}
        </Notice>
      ))}
      <div className="flex flex-wrap justify-end gap-2">
        <Button
          onClick={() => {
            void undoFold(sessionId);
            onClose();
          }}
        >
          Undo
        </Button>
        <Button
          onClick={() => {
            onClose();
            void navigate({ to: "/s/$sessionId", params: { sessionId }, hash: "summary" });
          }}
        >
          View summary
        </Button>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
