import { MidfoldError } from "@midfold/core";
import type { ChatFold, ChatFoldRequest } from "../../api/folds.ts";
import { type Chat, type ChatServer, chatOf } from "../chat.ts";
import { modelOf } from "../context/load-context.ts";
import { publishEvent } from "../events/publish-event.ts";
import { toProblem } from "../http/write-problem.ts";
import { resolveChatModel } from "../settings/resolve-chat-model.ts";
import { foldSession, regenerateSummary } from "./fold-session.ts";
import { findFold, listFolds, saveFold } from "./fold-state.ts";
import { announceDone, isCancel, trackFold } from "./track-fold.ts";

const jobName = "chat-fold";

interface FoldJob {
  readonly owner: string;
  readonly sessionId: string;
  readonly foldId: string;
  readonly request: ChatFoldRequest;
  /** The summary to write again, for `regenerate`. */
  readonly summaryId?: string;
}

/** Queues a fold for whichever replica is free. At most one per session at a time. */
export async function enqueueFold(
  chat: Chat,
  fold: ChatFold,
  request: ChatFoldRequest,
  summaryId?: string,
): Promise<ChatFold> {
  const { id: foldId, sessionId } = fold;
  await saveFold(chat.store, fold);
  const payload: FoldJob = {
    owner: chat.store.owner,
    sessionId,
    foldId,
    request,
    ...(summaryId === undefined ? {} : { summaryId }),
  };
  const job = await chat.stores.jobs.enqueue(jobName, payload, {
    singletonKey: `${chat.store.owner}:${sessionId}`,
    retries: 1,
  });
  if (job !== undefined) return fold;
  const refused = "A fold of this session is already waiting or running.";
  await saveFold(chat.store, { ...fold, status: "skipped", skipReason: "running-elsewhere", progress: null });
  const running = (await listFolds(chat.store, sessionId)).find(
    ({ status }) => status === "running" || status === "queued",
  );
  throw new MidfoldError("VERSION_CONFLICT", refused, { details: { foldId: running?.id ?? null } });
}

/** Takes folds off the queue, in this process, until the store is closed. */
export async function workOnFolds(server: ChatServer): Promise<void> {
  await server.stores.jobs.work<FoldJob>(jobName, (job) => run(server, job.payload, job.signal), { concurrency: 2 });
}

async function run(server: ChatServer, job: FoldJob, signal: AbortSignal): Promise<void> {
  const chat = await chatOf(server, job.owner);
  const { store } = chat;
  const fold = await findFold(store, job.sessionId, job.foldId).catch(() => undefined);
  // Delivered again after a crash, cancelled meanwhile, or the session was deleted: nothing to do.
  if (fold === undefined || (fold.status !== "queued" && fold.status !== "running")) return;
  try {
    const session = await store.sessions.get(job.sessionId);
    const { settings } = await resolveChatModel(chat, modelOf(chat, session), session.id);
    const wish = {
      instructions: job.request.instructions,
      summaryModel: job.request.model,
      style: job.request.style,
      maxSummaryTokens: job.request.maxSummaryTokens ?? settings.maxSummaryTokens,
    } as const;
    const { summaryId } = job;
    const { outcome, fold: ended } = await trackFold(chat, fold, { signal }, (report) =>
      summaryId === undefined
        ? foldSession(chat, session.id, {
            ...wish,
            ...report,
            foldId: fold.id,
            type: "manual",
            retentionTokens: job.request.retentionTokens ?? 0,
            throughMessageId: job.request.throughMessageId,
          })
        : regenerateSummary(chat, session.id, { ...wish, ...report, summaryId }),
    );
    if (outcome.status === "done") await announceDone(chat, ended, outcome, { notify: settings.notifications });
  } catch (error) {
    if (isCancel(error)) return;
    await tellFailure(chat, fold, error);
  }
}

/** The user is told and may retry or continue without; nothing was changed. */
async function tellFailure(chat: Chat, fold: ChatFold, error: unknown): Promise<void> {
  const { id, sessionId } = fold;
  const problem = toProblem(error);
  chat.log.error({ err: error, sessionId, foldId: id }, "fold by hand failed");
  const now = await findFold(chat.store, sessionId, id).catch(() => undefined);
  if (now !== undefined && now.status !== "failed") {
    const finishedAt = new Date(chat.now()).toISOString();
    await saveFold(chat.store, { ...now, status: "failed", error: problem, progress: null, finishedAt });
  }
  await publishEvent(chat, {
    type: "fold.failed",
    sessionId,
    foldId: id,
    trigger: "manual",
    problem,
    sentInstead: "nothing",
    retryAt: null,
    breakerOpen: false,
  });
}
