import { MidfoldError } from "@midfold/core";
import type { OwnerScope } from "../owner-scope.ts";
import type { Reader } from "../sql/database.ts";
import type { SessionContext } from "./context.ts";
import { messageColumns, type ReadMessageRow, toMessageRecord } from "./message-row.ts";
import { loadSessionRow, toSessionRecord } from "./session-row.ts";
import { loadSnapshotRow, toSummaryRecord } from "./snapshot-row.ts";

const maxAttempts = 8;

/**
 * Two or three short look-ups by key. Instead of a transaction, the last one returns the session's epoch again: if it
 * moved in between, a summary was published or a message edited, and the whole is read anew.
 */
export async function readContext({ database, owner }: OwnerScope, sessionId: string): Promise<SessionContext> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const context = await database.read((db) => readOnce(db, owner, sessionId));
    if (context !== undefined) return context;
  }
  throw new MidfoldError("STORE_UNAVAILABLE", `Session ${sessionId} keeps changing while it is read. Try again.`);
}

async function readOnce(db: Reader, owner: string, sessionId: string): Promise<SessionContext | undefined> {
  const session = await loadSessionRow(db, owner, sessionId);
  const [rows, summary] = await Promise.all([
    contextRows(db, { owner, sessionId, afterSeq: session.cutoff_seq }).execute(),
    session.summary_id === null
      ? undefined
      : loadSnapshotRow(db, { owner, sessionId, id: session.summary_id }).catch(() => undefined),
  ]);
  if (rows[0]?.epoch !== session.epoch) return undefined;
  return {
    session: toSessionRecord(session),
    summary: summary === undefined ? undefined : toSummaryRecord(summary),
    messages: rows
      .filter((row): row is typeof row & ReadMessageRow => row.id !== null)
      .map((row) => toMessageRecord(row, session.cutoff_seq)),
  };
}

/** The session's epoch with every message after a point that the model is to see; without such, the epoch alone. */
export function contextRows(
  db: Reader,
  place: { readonly owner: string; readonly sessionId: string; readonly afterSeq: number },
) {
  return db
    .selectFrom("chat_sessions")
    .leftJoin("chat_messages", (join) =>
      join
        .on("chat_messages.owner", "=", place.owner)
        .on("chat_messages.session_id", "=", place.sessionId)
        .on("chat_messages.seq", ">", place.afterSeq)
        .on("chat_messages.visibility", "<>", "person")
        .on("chat_messages.status", "not in", ["streaming", "failed"]),
    )
    .select("chat_sessions.epoch")
    .select(messageColumns)
    .where("chat_sessions.owner", "=", place.owner)
    .where("chat_sessions.id", "=", place.sessionId)
    .orderBy("chat_messages.seq");
}
