import { MidfoldError } from "@midfold/core";
import type { Reader } from "../sql/database.ts";
import type { SessionRow } from "../sql/schema.ts";
import type { SessionRecord } from "./sessions.ts";

export function toSessionRecord(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    title: row.title,
    model: row.model ?? undefined,
    systemPrompt: row.system_prompt ?? undefined,
    metadata: JSON.parse(row.metadata_json),
    version: row.version,
    epoch: row.epoch,
    lastSeq: row.last_seq,
    parent:
      row.parent_session_id === null
        ? undefined
        : { sessionId: row.parent_session_id, messageId: row.parent_message_id ?? undefined },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const sessionNotFound = (id: string): MidfoldError =>
  new MidfoldError("NOT_FOUND", `There is no session ${id}.`, { details: { sessionId: id } });

export async function loadSessionRow(db: Reader, owner: string, id: string): Promise<SessionRow> {
  const row = await db
    .selectFrom("chat_sessions")
    .selectAll()
    .where(({ and }) => and({ owner, id }))
    .executeTakeFirst();
  if (row === undefined) throw sessionNotFound(id);
  return row;
}
