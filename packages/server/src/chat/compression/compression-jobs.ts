import { MidfoldError } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { Compression, CompressionRequest } from "../../api/compression.ts";
import type { Chat } from "../chat.ts";
import { modelOf } from "../context/load-context.ts";
import { publishEvent } from "../events/publish-event.ts";
import { toProblem } from "../http/write-problem.ts";
import { resolveChatModel } from "../settings/resolve-chat-model.ts";
import { findCompression, listCompressions, saveCompression } from "./compression-state.ts";
import { foldSession, regenerateSummary } from "./fold-session.ts";
import { announceDone, isCancel, trackCompression } from "./track-compression.ts";

const jobName = "chat-compression";

interface CompressionJob {
  readonly owner: string;
  readonly sessionId: string;
  readonly compressionId: string;
  readonly request: CompressionRequest;
  /** The summary to write again, for `regenerate`. */
  readonly summaryId?: string;
}

/** Hands a compression to whichever replica is free. One per session at a time. */
export async function enqueueCompression(
  chat: Chat,
  store: OwnerStore,
  compression: Compression,
  request: CompressionRequest,
  summaryId?: string,
): Promise<Compression> {
  const { id: compressionId, sessionId } = compression;
  await saveCompression(store, compression);
  const payload: CompressionJob = {
    owner: store.owner,
    sessionId,
    compressionId,
    request,
    ...(summaryId === undefined ? {} : { summaryId }),
  };
  const job = await chat.store.jobs.enqueue(jobName, payload, {
    singletonKey: `${store.owner}:${sessionId}`,
    retries: 1,
  });
  if (job !== undefined) return compression;
  const refused = "A compression of this session is already waiting or running.";
  await saveCompression(store, { ...compression, status: "skipped", skipReason: "running-elsewhere", progress: null });
  const running = (await listCompressions(store, sessionId)).find(
    ({ status }) => status === "running" || status === "queued",
  );
  throw new MidfoldError("VERSION_CONFLICT", refused, { details: { compressionId: running?.id ?? null } });
}

/** Takes compressions off the queue, in this process, until the store is closed. */
export async function workOnCompressions(chat: Chat): Promise<void> {
  await chat.store.jobs.work<CompressionJob>(jobName, (job) => run(chat, job.payload, job.signal), { concurrency: 2 });
}

async function run(shared: Chat, job: CompressionJob, signal: AbortSignal): Promise<void> {
  const chat: Chat = { ...shared, models: await shared.models.of(shared.store.of(job.owner)) };
  const store = chat.store.of(job.owner);
  const compression = await findCompression(store, job.sessionId, job.compressionId).catch(() => undefined);
  // Delivered again after a crash, cancelled meanwhile, or the session is gone: nothing to do.
  if (compression === undefined || (compression.status !== "queued" && compression.status !== "running")) return;
  try {
    const session = await store.sessions.get(job.sessionId);
    const { settings } = await resolveChatModel(chat, store, modelOf(chat, session), session.id);
    const wish = {
      instructions: job.request.instructions,
      summaryModel: job.request.model,
      style: job.request.style,
      maxSummaryTokens: job.request.maxSummaryTokens ?? settings.maxSummaryTokens,
    } as const;
    const { summaryId } = job;
    const { outcome, compression: ended } = await trackCompression(chat, store, compression, { signal }, (report) =>
      summaryId === undefined
        ? foldSession(chat, store, session.id, {
            ...wish,
            ...report,
            type: "manual",
            retentionTokens: job.request.retentionTokens ?? 0,
            throughMessageId: job.request.throughMessageId,
          })
        : regenerateSummary(chat, store, session.id, { ...wish, ...report, summaryId }),
    );
    if (outcome.status === "done") await announceDone(chat, store, ended, outcome, { notify: settings.notifications });
  } catch (error) {
    if (isCancel(error)) return;
    await tellFailure(chat, store, compression, error);
  }
}

/** R1 FR-5.1.2: the user is told and may retry or go on without; nothing was changed. */
async function tellFailure(chat: Chat, store: OwnerStore, compression: Compression, error: unknown): Promise<void> {
  const { id, sessionId } = compression;
  const problem = toProblem(error);
  chat.log.error({ err: error, sessionId, compressionId: id }, "manual compression failed");
  const now = await findCompression(store, sessionId, id).catch(() => undefined);
  if (now !== undefined && now.status !== "failed") {
    const finishedAt = new Date(chat.now()).toISOString();
    await saveCompression(store, { ...now, status: "failed", error: problem, progress: null, finishedAt });
  }
  await publishEvent(chat, store, {
    type: "compression.failed",
    sessionId,
    compressionId: id,
    trigger: "manual",
    problem,
    sentInstead: "nothing",
    retryAt: null,
    breakerOpen: false,
  });
}
