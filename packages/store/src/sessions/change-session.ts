import { sql, type UpdateObject } from "kysely";
import type { Writer } from "../sql/database.ts";
import type { DialectTraits } from "../sql/dialect-traits.ts";
import type { Schema, SessionRow } from "../sql/schema.ts";
import { sessionNotFound } from "./session-row.ts";

type SessionChange = UpdateObject<Schema, "chat_sessions">;

/**
 * Updates the session's row and returns the new state. Everything that writes to a session calls this first: the row is
 * the lock that puts the writers of one session, on all machines, in order.
 */
export async function changeSession(
  db: Writer,
  traits: DialectTraits,
  place: { readonly owner: string; readonly id: string; readonly change: SessionChange },
): Promise<SessionRow> {
  const row = await db
    .updateTable("chat_sessions")
    .set({ updated_at: traits.now, ...place.change } as SessionChange)
    .where(({ and }) => and({ owner: place.owner, id: place.id }))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw sessionNotFound(place.id);
  return row as SessionRow;
}

/** Makes every summary that is being written invalid: see `SessionRecord.epoch`. */
export const nextEpoch = { epoch: sql<number>`epoch + 1` };
