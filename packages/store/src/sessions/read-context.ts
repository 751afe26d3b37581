import { sql } from "kysely";
import type { OwnerScope } from "../owner-scope.ts";
import type { Reader } from "../sql/database.ts";
import type { SessionRow, SnapshotRow } from "../sql/schema.ts";
import type { SessionContext } from "./context.ts";
import { messageColumns, type ReadMessageRow, toMessageRecord } from "./message-row.ts";
import { sessionNotFound, toSessionRecord } from "./session-row.ts";
import { toSummaryRecord } from "./snapshot-row.ts";

/**
 * Session, summary in force and what came after it, in one statement: one trip to the database and one consistent state,
 * whatever is published or edited meanwhile.
 */
export async function readContext({ database, owner }: OwnerScope, sessionId: string): Promise<SessionContext> {
  const rows = await database.read((db) => contextRows(db, { owner, sessionId }).execute());
  const first = rows.find(({ position }) => position === 1);
  if (first === undefined) throw sessionNotFound(sessionId);
  const session = unprefixed<SessionRow>(first, sessionPrefix);
  const summary = unprefixed<SnapshotRow>(first, summaryPrefix);
  return {
    session: toSessionRecord(session),
    summary: summary.id === null ? undefined : toSummaryRecord(summary),
    messages: rows
      .filter((row): row is typeof row & ReadMessageRow => row.id !== null)
      .sort((left, right) => left.seq - right.seq)
      .map((row) => toMessageRecord(row, session.cutoff_seq)),
  };
}

const sessionPrefix = "session_row_";
const summaryPrefix = "summary_row_";

const sessionColumns = [
  ...["id", "title", "model", "system_prompt", "metadata_json", "version", "epoch", "last_seq", "cutoff_seq"],
  ...["parent_session_id", "parent_message_id", "created_at", "updated_at"],
];
const summaryColumns = [
  ...["id", "session_id", "kind", "state", "version", "parent_id", "content_json", "fold_json"],
  ...["extra_json", "message_cutoff_id", "cutoff_seq", "token_count", "created_at"],
];

/** Only one row carries the session and its summary, since a long summary repeated on every row would be slow. */
const position = sql<number>`row_number() over ()`;
const once = (table: string, column: string) =>
  sql`case when ${position} = 1 then ${sql.ref(`${table}.${column}`)} end`;

/**
 * One row per message after the cutoff that the model is to see, unordered; one row without a message if there is none.
 * Sorting these few rows here is faster than letting the database do it.
 */
export function contextRows(db: Reader, place: { readonly owner: string; readonly sessionId: string }) {
  return db
    .selectFrom("chat_sessions")
    .leftJoin("session_snapshots", (join) =>
      join
        .on("session_snapshots.owner", "=", place.owner)
        .on("session_snapshots.session_id", "=", place.sessionId)
        .onRef("session_snapshots.id", "=", "chat_sessions.summary_id"),
    )
    .leftJoin("chat_messages", (join) =>
      join
        .on("chat_messages.owner", "=", place.owner)
        .on("chat_messages.session_id", "=", place.sessionId)
        .onRef("chat_messages.seq", ">", "chat_sessions.cutoff_seq")
        .on("chat_messages.visibility", "<>", "person")
        .on("chat_messages.status", "not in", ["streaming", "failed"]),
    )
    .select(messageColumns)
    .select(position.as("position"))
    .select(sessionColumns.map((name) => once("chat_sessions", name).as(`${sessionPrefix}${name}`)))
    .select(summaryColumns.map((name) => once("session_snapshots", name).as(`${summaryPrefix}${name}`)))
    .where("chat_sessions.owner", "=", place.owner)
    .where("chat_sessions.id", "=", place.sessionId);
}

/** The columns that begin with the prefix, without it. */
function unprefixed<TRow>(row: object, prefix: string): TRow {
  const columns = Object.entries(row).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(columns.map(([name, value]) => [name.slice(prefix.length), value])) as TRow;
}
