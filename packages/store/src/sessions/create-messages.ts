import { sql } from "kysely";
import { pageSize } from "../cursor.ts";
import type { OwnerScope } from "../owner-scope.ts";
import { toStorableJson } from "../text/storable.ts";
import { appendMessages } from "./append-messages.ts";
import { changeSession } from "./change-session.ts";
import { editMessage, finishMessage, removeMessages } from "./edit-messages.ts";
import { loadMessageRow, messageColumns, toMessageRecord } from "./message-row.ts";
import type { Messages } from "./messages.ts";
import { searchMessages } from "./search-messages.ts";
import { loadSessionRow } from "./session-row.ts";

export function createMessages(scope: OwnerScope): Messages {
  const { database, owner } = scope;
  return {
    append: (sessionId, drafts) => appendMessages(scope, sessionId, drafts),

    get: (sessionId, id) =>
      database.read(async (db) => {
        const session = await loadSessionRow(db, owner, sessionId);
        return toMessageRecord(await loadMessageRow(db, { owner, sessionId, id }), session.cutoff_seq);
      }),

    list: (sessionId, options = {}) =>
      database.read(async (db) => {
        const session = await loadSessionRow(db, owner, sessionId);
        let query = db
          .selectFrom("chat_messages")
          .select(messageColumns)
          .where("owner", "=", owner)
          .where("session_id", "=", sessionId);
        if (options.after !== undefined) query = query.where("seq", ">", options.after);
        if (options.before !== undefined) query = query.where("seq", "<", options.before);
        if (options.createdSince !== undefined) query = query.where("created_at", ">=", options.createdSince);
        const rows = await query
          .orderBy("seq", options.newestFirst === true ? "desc" : "asc")
          .limit(pageSize(options.limit, 100, 1000))
          .execute();
        return rows.map((row) => toMessageRecord(row, session.cutoff_seq));
      }),

    finish: (sessionId, id, ending) => finishMessage(scope, { sessionId, id }, ending),
    saveProgress: (sessionId, id, parts) =>
      database.write(async (db) => {
        const row = await db
          .updateTable("chat_messages")
          .set({ parts_json: toStorableJson(parts) })
          .where("owner", "=", owner)
          .where("session_id", "=", sessionId)
          .where("id", "=", id)
          .where("status", "=", "streaming")
          .returning("seq")
          .executeTakeFirst();
        return row !== undefined;
      }),
    edit: (sessionId, id, patch) => editMessage(scope, { sessionId, id }, patch),
    async remove(sessionId, id) {
      await removeMessages(scope, { sessionId, id, following: false });
    },
    removeFrom: (sessionId, id) => removeMessages(scope, { sessionId, id, following: true }),

    setTokens: (sessionId, tokens) =>
      database.write(async (db) => {
        // Takes the session's lock first, as every writer does: two writers in opposite order would deadlock.
        await changeSession(db, database.traits, { owner, id: sessionId, change: { updated_at: sql`updated_at` } });
        for (const { id, inputTokens, outputTokens } of tokens) {
          if (inputTokens === undefined && outputTokens === undefined) continue;
          await db
            .updateTable("chat_messages")
            .set({
              ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
              ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
            })
            .where("owner", "=", owner)
            .where("session_id", "=", sessionId)
            .where("id", "=", id)
            .execute();
        }
      }),

    totals: (sessionId) =>
      database.read(async (db) => {
        const session = await loadSessionRow(db, owner, sessionId);
        const row = await db
          .selectFrom("chat_messages")
          .select([
            sql<number>`count(*)`.as("messages"),
            sql<number>`cast(coalesce(sum(case when seq <= ${session.cutoff_seq} then 1 else 0 end), 0) as bigint)`.as(
              "summarized",
            ),
            sql<number>`cast(coalesce(sum(input_tokens), 0) as bigint)`.as("inputTokens"),
            sql<number>`cast(coalesce(sum(output_tokens), 0) as bigint)`.as("outputTokens"),
          ])
          .where("owner", "=", owner)
          .where("session_id", "=", sessionId)
          .executeTakeFirstOrThrow();
        return row;
      }),

    search: (query, options = {}) => searchMessages(scope, query, options),
  };
}
