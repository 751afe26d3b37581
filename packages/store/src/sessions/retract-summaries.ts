import type { Writer } from "../sql/database.ts";
import type { SessionRow } from "../sql/schema.ts";
import { summaryBefore } from "./summary-before.ts";

/**
 * Takes every summary out of force that covers `seq` or anything after it, and puts the newest earlier one back. After an
 * edit they stay on record as `void`; after a removal they go, since they may quote what was to be removed.
 */
export async function retractSummaries(
  db: Writer,
  session: SessionRow,
  change: { readonly seq: number; readonly remove: boolean },
): Promise<void> {
  const { owner, id: sessionId } = session;
  const restored = await summaryBefore(db, session, change.seq);
  if (change.remove) {
    await db
      .deleteFrom("session_snapshots")
      .where("owner", "=", owner)
      .where("session_id", "=", sessionId)
      .where("kind", "<>", "title")
      .where("cutoff_seq", ">=", change.seq)
      .execute();
  } else {
    await db
      .updateTable("session_snapshots")
      .set({ state: "void" })
      .where("owner", "=", owner)
      .where("session_id", "=", sessionId)
      .where("kind", "=", "summary")
      .where("cutoff_seq", ">=", change.seq)
      .execute();
  }
  if (restored?.id === (session.summary_id ?? undefined)) return;
  if (restored !== undefined) {
    await db
      .updateTable("session_snapshots")
      .set({ state: "active" })
      .where("owner", "=", owner)
      .where("session_id", "=", sessionId)
      .where("id", "=", restored.id)
      .execute();
  }
  await db
    .updateTable("chat_sessions")
    .set({ summary_id: restored?.id ?? null, cutoff_seq: restored?.cutoff_seq ?? 0 })
    .where("owner", "=", owner)
    .where("id", "=", sessionId)
    .execute();
}
