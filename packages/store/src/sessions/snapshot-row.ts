import { type FoldRecord, MidfoldError } from "@midfold/core";
import { recordOf } from "@midfold/core/summaries";
import type { Reader } from "../sql/database.ts";
import type { SnapshotRow } from "../sql/schema.ts";
import type { SnapshotRecord, SummaryContent, SummaryRecord } from "./snapshots.ts";

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
    .where("owner", "=", place.owner)
    .where("session_id", "=", place.sessionId)
    .where("id", "=", place.id)
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
    .where("owner", "=", place.owner)
    .where("session_id", "=", place.sessionId)
    .where("kind", "=", place.kind)
    .executeTakeFirst();
  return (row?.version ?? 0) + 1;
}
