import type { Reader } from "../sql/database.ts";
import type { SessionRow, SnapshotRow } from "../sql/schema.ts";
import { loadSnapshotRow } from "./snapshot-row.ts";

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
