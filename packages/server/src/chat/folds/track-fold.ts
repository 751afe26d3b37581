import { isMidfoldError, MidfoldError } from "@midfold/core";
import { closedBreaker } from "@midfold/core/chat";
import type { ChatFoldEvent } from "../../api/events.ts";
import type { ChatFold, ChatFoldProgress } from "../../api/folds.ts";
import type { Chat } from "../chat.ts";
import { listenForStops } from "../events/listen-for-stops.ts";
import { publishEvent, publishSummaryChanged } from "../events/publish-event.ts";
import { toProblem } from "../http/write-problem.ts";
import { foldKey } from "../turn/running-work.ts";
import type { FoldOutcome, FoldStart } from "./fold-session.ts";
import { saveBreaker, saveFold } from "./fold-state.ts";

export interface TrackOptions {
  readonly signal: AbortSignal;
  /** Called with every event as it happens, besides those who watch the session. */
  readonly onEvent?: (event: ChatFoldEvent) => void;
  /** Stored and announced only once it is clear that there is something to do. */
  readonly quiet?: boolean;
}

/** How the work reports its progress. */
export interface Report {
  readonly onStart: (start: FoldStart) => Promise<void>;
  readonly onProgress: (phase: ChatFoldProgress["phase"], share: number, text?: string) => void;
}

export interface Tracked {
  readonly outcome: FoldOutcome;
  readonly fold: ChatFold;
}

/**
 * Runs a fold so that people can follow it: recorded, announced, cancellable. Throws the error that made it fail, after
 * recording it.
 */
export async function trackFold(
  chat: Chat,
  start: ChatFold,
  options: TrackOptions,
  work: (options: Report & { readonly signal: AbortSignal }) => Promise<FoldOutcome>,
): Promise<Tracked> {
  const { id, sessionId, type } = start;
  const head = { sessionId, foldId: id, trigger: type } as const;
  let fold = start;
  let announced = options.quiet !== true;
  const save = async (change: Partial<ChatFold>) => {
    fold = { ...fold, ...change };
    if (announced) await saveFold(chat.store, fold);
  };
  const tell = async (event: ChatFoldEvent) => {
    options.onEvent?.(event);
    await publishEvent(chat, event);
  };
  const end = () => ({ progress: null, finishedAt: new Date(chat.now()).toISOString() });
  const report: Report = {
    async onStart(start) {
      announced = true;
      await save({ status: "running", progress: { phase: "summarizing", share: 0, attempt: 1 } });
      await tell({ type: "fold.start", ...head, ...start });
    },
    onProgress(phase, share, text) {
      const progress = { phase, share, attempt: 1, ...(text === undefined || text === "" ? {} : { text }) };
      fold = { ...fold, progress };
      void tell({ type: "fold.progress", ...head, progress });
    },
  };
  const stopListening = await listenForStops(chat);
  try {
    const outcome = await chat.running.track(foldKey(id), options.signal, (signal) => work({ ...report, signal }));
    if (outcome.status === "done") {
      await saveBreaker(chat.store, sessionId, closedBreaker);
      await save({ status: "done", result: outcome.result, ...end() });
    } else {
      const { reason } = outcome;
      await save({ status: "skipped", skipReason: reason, ...end() });
      if (announced) await tell({ type: "fold.skipped", ...head, reason, message: skipped[reason] });
    }
    return { outcome, fold };
  } catch (error) {
    const cancelled = isCancel(error);
    // A failure is announced by its id, also where it came before the start.
    announced ||= !cancelled;
    await save(
      cancelled ? { status: "cancelled", ...end() } : { status: "failed", error: toProblem(error), ...end() },
    ).catch((cause: unknown) => chat.log.warn({ err: cause, sessionId }, "the result of a fold could not be stored"));
    if (cancelled && announced) await tell({ type: "fold.cancelled", ...head });
    if (!cancelled || isMidfoldError(error)) throw error;
    throw new MidfoldError("ABORTED", "The fold was cancelled.", { cause: error });
  } finally {
    stopListening();
  }
}

export function isCancel(error: unknown): boolean {
  return isMidfoldError(error, "ABORTED") || (error instanceof Error && error.name === "AbortError");
}

const skipped = {
  "nothing-to-fold": "There is nothing to summarize.",
  "running-elsewhere": "Another fold of this session has just finished.",
  superseded: "The conversation was changed meanwhile, so the summary was thrown away.",
} as const;

/** Announces a finished fold; `notify` says whether the user wants to be told. */
export async function announceDone(
  chat: Chat,
  fold: ChatFold,
  outcome: FoldOutcome & { readonly status: "done" },
  { notify, onEvent }: { readonly notify: boolean; readonly onEvent?: (event: ChatFoldEvent) => void },
): Promise<void> {
  const { id: foldId, sessionId, type: trigger } = fold;
  const event = { type: "fold.done", sessionId, foldId, trigger, result: outcome.result, notify } as const;
  onEvent?.(event);
  await publishEvent(chat, event);
  await publishSummaryChanged(chat, sessionId, outcome.summary.id);
}

export function newFold(
  chat: Chat,
  id: string,
  sessionId: string,
  type: ChatFold["type"],
  action: ChatFold["action"] = "fold",
): ChatFold {
  return {
    id,
    sessionId,
    type,
    action,
    status: "queued",
    progress: { phase: "waiting", share: 0, attempt: 1 },
    startedAt: new Date(chat.now()).toISOString(),
    finishedAt: null,
    result: null,
    error: null,
    skipReason: null,
  };
}
