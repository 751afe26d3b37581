import { randomUUID } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import { withText } from "@midfold/core/summaries";
import type { OwnerStore, SummaryRecord } from "@midfold/store";
import type { SummaryDetail } from "../../api/summary.ts";
import type { Chat } from "../chat.ts";
import { loadContext } from "../context/load-context.ts";
import { publishEvent, publishSummaryChanged } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import { enqueueFold } from "./fold-jobs.ts";
import { notActive } from "./fold-session.ts";
import { readExtra, type SummaryExtra, toApiSummary, toSummaryDetail } from "./to-api-summary.ts";
import { newFold } from "./track-fold.ts";

export const listSummaries: Handler<"listSummaries"> = async ({ store, params }) => {
  await store.sessions.get(params.sessionId);
  return readList(store, params.sessionId);
};

export const getSummary: Handler<"getSummary"> = async ({ store, params }) => {
  const versions = await store.snapshots.summaries(params.sessionId);
  return toSummaryDetail(find(versions, params.summaryId), versions);
};

export const editSummary: Handler<"editSummary"> = async ({ chat, params, body }) => {
  const { source, model } = await loadContext(chat, params.sessionId);
  const active = source.summary;
  if (active?.id !== params.summaryId) throw notActive();
  const text = body.text.trim();
  const tokens = model.counter.count(text);
  const extra: SummaryExtra = { ...readExtra(active), origin: "edited", model: null, loss: null, sources: [] };
  return publish(chat, active, source.session.epoch, {
    content: { ...active.content, summaryText: text, summaryTokenCount: tokens },
    fold: withText(active.fold, text),
    extra,
  });
};

export const activateSummary: Handler<"activateSummary"> = async ({ chat, params }) => {
  const { source } = await loadContext(chat, params.sessionId);
  const active = source.summary;
  const wanted = find(await chat.store.snapshots.summaries(params.sessionId), params.summaryId);
  if (active === undefined || readExtra(active).foldId !== readExtra(wanted).foldId) {
    throw new MidfoldError(
      "VERSION_CONFLICT",
      "Only versions of the active summary can be activated. Undo first, for an older one.",
    );
  }
  if (active.id === wanted.id) return toSummaryDetail(active, await chat.store.snapshots.summaries(params.sessionId));
  return publish(chat, active, source.session.epoch, {
    content: wanted.content,
    fold: wanted.fold,
    extra: readExtra(wanted),
  });
};

export const regenerateSummary: Handler<"regenerateSummary"> = async ({ chat, params, body }) => {
  const { sessionId, summaryId } = params;
  const active = await chat.store.snapshots.activeSummary(sessionId);
  if (active?.id !== summaryId) throw notActive();
  const fold = newFold(chat, randomUUID(), sessionId, "manual", "regenerate");
  return enqueueFold(chat, fold, body, summaryId);
};

export const undoSummary: Handler<"undoSummary"> = async ({ chat, params }) => {
  const { sessionId } = params;
  const { undone, restored } = await chat.store.snapshots.undoSummary(sessionId);
  const activeId = restored?.id ?? null;
  await publishEvent(chat, { type: "fold.undone", sessionId, undoneId: undone.id, activeId });
  await publishSummaryChanged(chat, sessionId, activeId);
  return readList(chat.store, sessionId);
};

/** A new version of the active summary, refused when something else changed the session meanwhile. */
async function publish(
  chat: Chat,
  active: SummaryRecord,
  epoch: number,
  version: Pick<SummaryRecord, "content" | "fold"> & { readonly extra: SummaryExtra },
): Promise<SummaryDetail> {
  const { sessionId } = active;
  const timestamp = new Date(chat.now()).toISOString();
  const outcome = await chat.store.snapshots.publishSummary(sessionId, {
    ...version,
    content: { ...version.content, compressionTimestamp: timestamp, compressionType: "manual" },
    epoch,
    previousId: active.id,
  });
  if (!outcome.published) throw notActive();
  await publishSummaryChanged(chat, sessionId, outcome.snapshot.id);
  return toSummaryDetail(outcome.snapshot, await chat.store.snapshots.summaries(sessionId));
}

async function readList(store: OwnerStore, sessionId: string) {
  const records = await store.snapshots.summaries(sessionId);
  return {
    activeId: records.find(({ state }) => state === "active")?.id ?? null,
    summaries: records.map((record) => toApiSummary(record, records)),
  };
}

function find(records: readonly SummaryRecord[], id: string): SummaryRecord {
  const found = records.find((record) => record.id === id);
  if (found !== undefined) return found;
  throw new MidfoldError("NOT_FOUND", "There is no summary with this id in the session.");
}
