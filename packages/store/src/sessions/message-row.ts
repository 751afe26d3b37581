import { MidfoldError } from "@midfold/core";
import type { Reader } from "../sql/database.ts";
import type { MessageRow } from "../sql/schema.ts";
import type { MessageRecord } from "./messages.ts";

export const messageColumns = [
  "chat_messages.session_id",
  "chat_messages.seq",
  "chat_messages.id",
  "chat_messages.role",
  "chat_messages.parts_json",
  "chat_messages.name",
  "chat_messages.pinned",
  "chat_messages.model",
  "chat_messages.input_tokens",
  "chat_messages.output_tokens",
  "chat_messages.visibility",
  "chat_messages.status",
  "chat_messages.created_at",
] as const;

export type ReadMessageRow = Omit<MessageRow, "owner" | "search_chunks">;

export function toMessageRecord(row: ReadMessageRow, cutoffSeq: number): MessageRecord {
  return {
    id: row.id,
    sessionId: row.session_id,
    seq: row.seq,
    role: row.role,
    parts: JSON.parse(row.parts_json),
    name: row.name ?? undefined,
    pinned: row.pinned === 1,
    model: row.model ?? undefined,
    inputTokens: row.input_tokens ?? undefined,
    outputTokens: row.output_tokens ?? undefined,
    visibility: row.visibility,
    status: row.status,
    isSummarized: row.seq <= cutoffSeq,
    createdAt: row.created_at,
  };
}

export const messageNotFound = (sessionId: string, id: string): MidfoldError =>
  new MidfoldError("NOT_FOUND", `Session ${sessionId} has no message ${id}.`, {
    details: { sessionId, messageId: id },
  });

/** The message with its number in the search index. Throws `NOT_FOUND`. */
export async function loadMessageRow(
  db: Reader,
  place: { readonly owner: string; readonly sessionId: string; readonly id: string },
): Promise<MessageRow & { readonly doc_id: number }> {
  const row = await db
    .selectFrom("chat_messages")
    .selectAll()
    .where(({ and }) => and({ owner: place.owner, session_id: place.sessionId, id: place.id }))
    .executeTakeFirst();
  if (row === undefined) throw messageNotFound(place.sessionId, place.id);
  return row;
}
