import { MidfoldError } from "@midfold/core";
import type { OwnerScope } from "../owner-scope.ts";
import type { Writer } from "../sql/database.ts";
import type { SnapshotRow } from "../sql/schema.ts";
import { changeSession, nextEpoch } from "./change-session.ts";
import { loadSnapshotRow, toSummaryRecord } from "./snapshot-row.ts";
import type { SnapshotState, UndoOutcome } from "./snapshots.ts";

export async function undoSummary({ database, owner }: OwnerScope, sessionId: string): Promise<UndoOutcome> {
  return database.write(async (db) => {
    const session = await changeSession(db, database.traits, { owner, id: sessionId, change: nextEpoch });
    if (session.summary_id === null) {
      throw new MidfoldError("NOT_FOUND", `Session ${sessionId} has no summary to undo.`, { details: { sessionId } });
    }
    const row = await loadSnapshotRow(db, { owner, sessionId, id: session.summary_id });
    const undone = await setState(db, row, "undone");
    const parent =
      row.parent_id === null ? undefined : await loadSnapshotRow(db, { owner, sessionId, id: row.parent_id });
    const restored = parent === undefined ? undefined : await setState(db, parent, "active");
    await db
      .updateTable("chat_sessions")
      .set({ summary_id: restored?.id ?? null, cutoff_seq: restored?.cutoff_seq ?? 0 })
      .where("owner", "=", owner)
      .where("id", "=", sessionId)
      .execute();
    return {
      undone: toSummaryRecord(undone),
      restored: restored === undefined ? undefined : toSummaryRecord(restored),
      epoch: session.epoch,
    };
  });
}

async function setState(db: Writer, row: SnapshotRow, state: SnapshotState): Promise<SnapshotRow> {
  await db
    .updateTable("session_snapshots")
    .set({ state })
    .where("owner", "=", row.owner)
    .where("session_id", "=", row.session_id)
    .where("id", "=", row.id)
    .execute();
  return { ...row, state };
}
