import { type FoldRecord, MidfoldError } from "@midfold/core";
import { recordOf } from "@midfold/core/summaries";
import type { Reader, Writer } from "../sql/database.ts";
import type { SessionRow, SnapshotRow } from "../sql/schema.ts";
import type { SnapshotRecord, SnapshotState, SummaryContent, SummaryRecord } from "./snapshots.ts";

export function toSnapshotRecord<TContent = unknown>(row: Omit<SnapshotRow, "owner">): SnapshotRecord<TContent> {
  return {
    id: row.id,
    sessionId: row.session_id,
    kind: row.kind,
    state: row.state,
    version: row.version,
    parentId: row.parent_id ?? undefined,
    content: JSON.parse(row.content_json),
    extra: JSON.parse(row.extra_json),
    messageCutoffId: row.message_cutoff_id ?? undefined,
    cutoffSeq: row.cutoff_seq,
    tokenCount: row.token_count,
    createdAt: row.created_at,
  };
}

export function toSummaryRecord(row: Omit<SnapshotRow, "owner">): SummaryRecord {
  const snapshot = toSnapshotRecord<SummaryContent>(row);
  const { summaryText, messagesIncluded, originalTokenCount, summaryTokenCount } = snapshot.content;
  const fold: FoldRecord =
    row.fold_json === null
      ? recordOf({
          text: summaryText,
          covers: messagesIncluded,
          tokens: { before: originalTokenCount, after: summaryTokenCount },
        })
      : JSON.parse(row.fold_json);
  return { ...snapshot, fold };
}

export async function loadSnapshotRow(
  db: Reader,
  place: { readonly owner: string; readonly sessionId: string; readonly id: string },
): Promise<SnapshotRow> {
  const row = await db
    .selectFrom("session_snapshots")
    .selectAll()
    .where(({ and }) => and({ owner: place.owner, session_id: place.sessionId, id: place.id }))
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new MidfoldError("NOT_FOUND", `Session ${place.sessionId} has no snapshot ${place.id}.`);
}

export async function nextSnapshotVersion(
  db: Reader,
  place: { readonly owner: string; readonly sessionId: string; readonly kind: SnapshotRow["kind"] },
): Promise<number> {
  const row = await db
    .selectFrom("session_snapshots")
    .select(({ fn }) => fn.max("version").as("version"))
    .where(({ and }) => and({ owner: place.owner, session_id: place.sessionId, kind: place.kind }))
    .executeTakeFirst();
  return (row?.version ?? 0) + 1;
}

export async function setSnapshotState(
  db: Writer,
  place: { readonly owner: string; readonly sessionId: string; readonly id: string },
  state: SnapshotState,
): Promise<void> {
  await db
    .updateTable("session_snapshots")
    .set({ state })
    .where(({ and }) => and({ owner: place.owner, session_id: place.sessionId, id: place.id }))
    .execute();
}

/** Puts this earlier summary in force again; undefined leaves the session without one. */
export async function restoreSummary(
  db: Writer,
  { owner, sessionId }: { readonly owner: string; readonly sessionId: string },
  summary: SnapshotRow | undefined,
): Promise<void> {
  if (summary !== undefined) await setSnapshotState(db, { owner, sessionId, id: summary.id }, "active");
  await db
    .updateTable("chat_sessions")
    .set({ summary_id: summary?.id ?? null, cutoff_seq: summary?.cutoff_seq ?? 0 })
    .where(({ and }) => and({ owner, id: sessionId }))
    .execute();
}

/** Of the summary in force and those it replaced, the newest one that covers nothing from `seq` on. */
export async function summaryBefore(db: Reader, session: SessionRow, seq: number): Promise<SnapshotRow | undefined> {
  let id = session.summary_id;
  while (id !== null) {
    const row = await loadSnapshotRow(db, { owner: session.owner, sessionId: session.id, id });
    if (row.cutoff_seq < seq) return row;
    id = row.parent_id;
  }
  return undefined;
}
