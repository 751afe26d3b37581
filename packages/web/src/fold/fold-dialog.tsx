import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { ChatFold, ChatFoldRequest, ChatFoldResult } from "../api/types.gen.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatCost, formatCount, formatPercent, formatSeconds, plural, withoutMarks } from "../ui/format.ts";
import { CheckIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { FoldForm } from "./fold-form.tsx";
import { ProgressBar } from "./progress-bar.tsx";
import { undoFold } from "./use-fold-news.ts";

interface FoldDialogProps {
  readonly sessionId: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly conversation: Conversation;
}

/** Summarizing by hand in one dialog: the preview, the progress and the result. */
export function FoldDialog({ open, onClose, ...rest }: FoldDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Summarize conversation history" wide>
      <FoldSteps onClose={onClose} {...rest} />
    </Dialog>
  );
}

function FoldSteps({ sessionId, conversation, onClose }: Omit<FoldDialogProps, "open">) {
  const [request, setRequest] = useState<ChatFoldRequest>({});
  const [fold, setFold] = useState<ChatFold>();
  const [problem, setProblem] = useState<string>();
  const running = fold?.status === "queued" || fold?.status === "running";
  useProgress(conversation, fold, setFold);

  const starting = useRef(false);
  const start = async () => {
    // A second click would be refused, since the first fold is running.
    if (starting.current) return;
    starting.current = true;
    setProblem(undefined);
    try {
      setFold(await api.startFold(sessionId, request));
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      starting.current = false;
    }
  };
  const cancel = async () => {
    if (fold === undefined) return;
    try {
      setFold(await api.cancelFold(sessionId, fold.id));
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };

  if (fold?.status === "done" && fold.result !== null) {
    return <FoldDone sessionId={sessionId} result={fold.result} onClose={onClose} />;
  }
  if (running) {
    return (
      <div className="grid grid-cols-1 gap-4">
        <ProgressBar progress={fold.progress} />
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
  const failed = fold?.status === "failed" ? (fold.error?.detail ?? "It failed.") : problem;
  return (
    <div className="grid grid-cols-1 gap-4">
      {fold?.status === "cancelled" && <Notice>Cancelled. Nothing was changed.</Notice>}
      {fold?.status === "skipped" && <Notice>Nothing was changed: there was nothing to summarize.</Notice>}
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
      <FoldForm
        sessionId={sessionId}
        request={request}
        onChange={setRequest}
        onStart={() => void start()}
        onCancel={onClose}
      />
    </div>
  );
}

/** Follows the fold by the session's events, and asks the server now and then in case one was missed. */
function useProgress(conversation: Conversation, fold: ChatFold | undefined, set: (fold: ChatFold) => void): void {
  const id = fold?.id;
  const open = fold?.status === "queued" || fold?.status === "running";
  useEffect(() => {
    if (id === undefined || !open) return;
    let current = true;
    const ask = () =>
      void api
        .getFold(conversation.sessionId, id)
        .then((now) => current && set(now))
        .catch(() => {});
    const forget = conversation.onEvent((event) => {
      if ("foldId" in event && event.foldId === id) ask();
    });
    const timer = setInterval(ask, 1000);
    return () => {
      current = false;
      clearInterval(timer);
      forget();
    };
  }, [conversation, id, open, set]);
}

interface FoldDoneProps {
  readonly sessionId: string;
  readonly result: ChatFoldResult;
  readonly onClose: () => void;
}

function FoldDone({ sessionId, result, onClose }: FoldDoneProps) {
  const navigate = useNavigate();
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="flex items-center gap-2 font-medium">
        <span className="rounded-full bg-accent-soft p-1 text-accent">
          <CheckIcon />
        </span>
        Summarized {plural(result.messagesSummarized, "message")}: {formatCount(result.tokensBefore)} →{" "}
        {formatCount(result.tokensAfter)} tokens, {formatPercent(result.reductionPercent)} less
      </p>
      <blockquote className="rounded-xl border border-l-4 border-line border-l-fold-line bg-fold px-4 py-3 text-sm wrap-anywhere">
        {wholeWords(result.preview)}
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

/** The preview has at most so many characters, and ended in the middle of a word. */
const previewLength = 200;

function wholeWords(preview: string): string {
  const text = withoutMarks(preview);
  return [...preview].length < previewLength ? text : `${text.replace(/\s+\S*$/, "")} …`;
}
