import { MidfoldError } from "@midfold/core";
import { sql } from "kysely";
import { compressionLease } from "../coordination/leases.ts";
import { createId } from "../create-id.ts";
import { decodeCursor, encodeCursor, pageSize } from "../cursor.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Reader } from "../sql/database.ts";
import { removeSearchEntries } from "../sql/search-entries.ts";
import { toStorableJson, toStorableText } from "../text/storable.ts";
import { branchSession } from "./branch-session.ts";
import { changeSession } from "./change-session.ts";
import { loadSessionRow, sessionNotFound, toSessionRecord } from "./session-row.ts";
import type { SessionPatch, Sessions } from "./sessions.ts";
import { scopeName } from "./setting-scope.ts";

export function createSessions({ database, owner }: OwnerScope): Sessions {
  const { traits } = database;
  return {
    async create(draft = {}) {
      const row = await database.write((db) =>
        db
          .insertInto("chat_sessions")
          .values({
            owner,
            id: draft.id === undefined ? createId() : toStorableText(draft.id),
            title: toStorableText(draft.title ?? ""),
            model: draft.model === undefined ? null : toStorableText(draft.model),
            system_prompt: draft.systemPrompt === undefined ? null : toStorableText(draft.systemPrompt),
            metadata_json: toStorableJson(draft.metadata ?? {}),
            version: 1,
            epoch: 1,
            last_seq: 0,
            summary_id: null,
            cutoff_seq: 0,
            parent_session_id: null,
            parent_message_id: null,
            created_at: traits.now,
            updated_at: traits.now,
          })
          .returningAll()
          .executeTakeFirstOrThrow(),
      );
      return toSessionRecord(row);
    },

    get: async (id) => toSessionRecord(await database.read((db) => loadSessionRow(db, owner, id))),

    async list(options = {}) {
      const limit = pageSize(options.limit, 50, 500);
      const rows = await database.read((db) =>
        sessionRows(db, { owner, after: options.after, limit: limit + 1 }).execute(),
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map(toSessionRecord),
        ...(rows.length > limit && last !== undefined ? { next: encodeCursor(last.updated_at, last.id) } : {}),
      };
    },

    async update(id, patch, version) {
      const row = await database.write(async (db) => {
        const changed = await changeSession(db, traits, {
          owner,
          id,
          change: { ...toColumns(patch), version: sql<number>`version + 1` },
        });
        if (version === undefined || changed.version === version + 1) return changed;
        throw new MidfoldError(
          "VERSION_CONFLICT",
          `Session ${id} is at version ${changed.version - 1}, not ${version}. Read it again.`,
          { details: { sessionId: id, version: changed.version - 1 } },
        );
      });
      return toSessionRecord(row);
    },

    async remove(id) {
      await database.write(async (db) => {
        const row = await changeSession(db, traits, { owner, id, change: {} });
        await removeSearchEntries(db, { owner, sessionId: id, fromSeq: 0, toSeq: row.last_seq });
        const scope = scopeName({ kind: "session", sessionId: id });
        await db.deleteFrom("settings").where("owner", "=", owner).where("scope", "=", scope).execute();
        await db.deleteFrom("context_states").where("owner", "=", owner).where("conversation_id", "=", id).execute();
        await db.deleteFrom("leases").where("owner", "=", owner).where("name", "=", compressionLease(id)).execute();
        // Messages and snapshots go with it.
        const gone = await db
          .deleteFrom("chat_sessions")
          .where("owner", "=", owner)
          .where("id", "=", id)
          .returning("id")
          .executeTakeFirst();
        if (gone === undefined) throw sessionNotFound(id);
      });
    },

    branch: (id, options = {}) => branchSession({ database, owner }, { id, ...options }),
  };
}

/** Sessions by last change, newest first, from a cursor on. */
export function sessionRows(
  db: Reader,
  page: { readonly owner: string; readonly after: string | undefined; readonly limit: number },
) {
  let query = db.selectFrom("chat_sessions").selectAll().where("owner", "=", page.owner);
  if (page.after !== undefined) {
    const [at, id] = decodeCursor<[number, string]>(page.after, ["number", "string"]);
    query = query.where(sql<boolean>`(updated_at, id) < (${at}, ${id})`);
  }
  return query.orderBy("updated_at", "desc").orderBy("id", "desc").limit(page.limit);
}

function toColumns(patch: SessionPatch) {
  return {
    ...(patch.title === undefined ? {} : { title: toStorableText(patch.title) }),
    ...(patch.model === undefined ? {} : { model: storableOrNull(patch.model) }),
    ...(patch.systemPrompt === undefined ? {} : { system_prompt: storableOrNull(patch.systemPrompt) }),
    ...(patch.metadata === undefined ? {} : { metadata_json: toStorableJson(patch.metadata) }),
  };
}

const storableOrNull = (text: string | null) => (text === null ? null : toStorableText(text));
