import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { Compression, CompressionRequest, CompressionResult } from "../api/types.gen.ts";
import type { Conversation } from "../chat/conversation.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatCost, formatCount, formatPercent, formatSeconds, plural } from "../ui/format.ts";
import { CheckIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { CompressForm } from "./compress-form.tsx";
import { ProgressBar } from "./progress-bar.tsx";
import { undoFold } from "./use-fold-news.ts";

interface CompressDialogProps {
  readonly sessionId: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly conversation: Conversation;
}

/** Summarize by hand: what it would do, the work, and what came of it, in one dialog. */
export function CompressDialog({ open, onClose, ...rest }: CompressDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Summarize conversation history" wide>
      <CompressSteps onClose={onClose} {...rest} />
    </Dialog>
  );
}

function CompressSteps({ sessionId, conversation, onClose }: Omit<CompressDialogProps, "open">) {
  const [request, setRequest] = useState<CompressionRequest>({});
  const [compression, setCompression] = useState<Compression>();
  const [problem, setProblem] = useState<string>();
  const running = compression?.status === "queued" || compression?.status === "running";
  useProgress(conversation, compression, setCompression);

  const start = async () => {
    setProblem(undefined);
    try {
      setCompression(await api.startCompression(sessionId, request));
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  const cancel = async () => {
    if (compression === undefined) return;
    try {
      setCompression(await api.cancelCompression(sessionId, compression.id));
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };

  if (compression?.status === "done" && compression.result !== null) {
    return <CompressResult sessionId={sessionId} result={compression.result} onClose={onClose} />;
  }
  if (running) {
    return (
      <div className="grid grid-cols-1 gap-4">
        <ProgressBar progress={compression.progress} />
        <p className="text-sm text-ink-soft">You can close this; the work goes on, and the conversation shows it.</p>
        {problem !== undefined && <Notice tone="error">{problem}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={() => void cancel()}>Cancel</Button>
          <Button kind="quiet" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    );
  }
  const failed = compression?.status === "failed" ? (compression.error?.detail ?? "It failed.") : problem;
  return (
    <div className="grid grid-cols-1 gap-4">
      {compression?.status === "cancelled" && <Notice>Cancelled. Nothing was changed.</Notice>}
      {compression?.status === "skipped" && <Notice>Nothing was changed: there was nothing to fold.</Notice>}
      {failed !== undefined && (
        <Notice
          tone="error"
          action={
            <>
              <Button onClick={() => void start()}>Try again</Button>
              <Button kind="quiet" onClick={onClose}>
                Continue without
              </Button>
            </>
          }
        >
          {failed} Your messages are as they were.
        </Notice>
      )}
      <CompressForm
        sessionId={sessionId}
        request={request}
        onChange={setRequest}
        onStart={() => void start()}
        onCancel={onClose}
      />
    </div>
  );
}

/** Follows the work by the session's events, and asks now and then in case one was missed. */
function useProgress(
  conversation: Conversation,
  compression: Compression | undefined,
  set: (compression: Compression) => void,
): void {
  const id = compression?.id;
  const open = compression?.status === "queued" || compression?.status === "running";
  useEffect(() => {
    if (id === undefined || !open) return;
    let current = true;
    const ask = () =>
      void api
        .getCompression(conversation.sessionId, id)
        .then((now) => current && set(now))
        .catch(() => {});
    const forget = conversation.onEvent((event) => {
      if ("compressionId" in event && event.compressionId === id) ask();
    });
    const timer = setInterval(ask, 1000);
    return () => {
      current = false;
      clearInterval(timer);
      forget();
    };
  }, [conversation, id, open, set]);
}

interface CompressResultProps {
  readonly sessionId: string;
  readonly result: CompressionResult;
  readonly onClose: () => void;
}

function CompressResult({ sessionId, result, onClose }: CompressResultProps) {
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
