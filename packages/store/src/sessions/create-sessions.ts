import { MidfoldError } from "@midfold/core";
import { sql } from "kysely";
import { foldLease } from "../coordination/leases.ts";
import { createId } from "../create-id.ts";
import { decodeCursor, encodeCursor, pageSize } from "../cursor.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Reader, Writer } from "../sql/database.ts";
import type { SessionRow } from "../sql/schema.ts";
import { addSearchEntries, removeSearchEntries } from "../sql/search-entries.ts";
import { indexTerms } from "../text/index-terms.ts";
import { searchableText } from "../text/searchable-text.ts";
import { toStorableJson, toStorableText } from "../text/storable.ts";
import { changeSession, nextEpoch } from "./change-session.ts";
import { loadMessageRow } from "./message-row.ts";
import { loadSessionRow, sessionNotFound, toSessionRecord } from "./session-row.ts";
import type { SessionPatch, SessionRecord, Sessions } from "./sessions.ts";
import { scopeName } from "./setting-scope.ts";
import { summaryBefore } from "./snapshot-row.ts";

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
        await db.deleteFrom("leases").where("owner", "=", owner).where("name", "=", foldLease(id)).execute();
        // Messages and snapshots are deleted with it, by foreign key.
        const gone = await db
          .deleteFrom("chat_sessions")
          .where(({ and }) => and({ owner, id }))
          .returning("id")
          .executeTakeFirst();
        if (gone === undefined) throw sessionNotFound(id);
      });
    },

    branch: (id, options = {}) => branchSession({ database, owner }, { id, ...options }),
  };
}

/** Sessions by last change, newest first, starting at a cursor. */
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

interface Branch {
  readonly id: string;
  readonly upTo?: string;
  readonly title?: string;
}

/**
 * A branch is a copy. Its messages keep their ids and sequence numbers, which are unique within a session only: so
 * copied snapshots are valid without a change, and deleting the origin does not affect the branch.
 */
async function branchSession(scope: OwnerScope, branch: Branch): Promise<SessionRecord> {
  const { database, owner } = scope;
  const { traits } = database;
  const id = createId();
  const row = await database.write(async (db) => {
    const origin = await changeSession(db, traits, { owner, id: branch.id, change: nextEpoch });
    const last =
      branch.upTo === undefined
        ? await newestMessage(db, origin)
        : await loadMessageRow(db, { owner, sessionId: origin.id, id: branch.upTo });
    const lastSeq = last?.seq ?? 0;
    const summary = await summaryBefore(db, origin, lastSeq + 1);
    const created = await db
      .insertInto("chat_sessions")
      .values({
        owner,
        id,
        title: branch.title === undefined ? origin.title : toStorableText(branch.title),
        model: origin.model,
        system_prompt: origin.system_prompt,
        metadata_json: origin.metadata_json,
        version: 1,
        epoch: 1,
        last_seq: lastSeq,
        summary_id: summary?.id ?? null,
        cutoff_seq: summary?.cutoff_seq ?? 0,
        parent_session_id: origin.id,
        parent_message_id: last?.id ?? null,
        created_at: traits.now,
        updated_at: traits.now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await copyMessages(db, { owner, from: origin.id, to: id, lastSeq });
    await copySnapshots(db, { owner, from: origin.id, to: id, lastSeq, activeId: summary?.id });
    await copySettings(db, { owner, from: origin.id, to: id });
    await indexCopies(db, scope, id);
    return created;
  });
  return toSessionRecord(row);
}

interface Copy {
  readonly owner: string;
  readonly from: string;
  readonly to: string;
  readonly lastSeq: number;
}

function newestMessage(db: Writer, session: SessionRow) {
  return db
    .selectFrom("chat_messages")
    .select(["id", "seq"])
    .where(({ and }) => and({ owner: session.owner, session_id: session.id }))
    .where("status", "<>", "streaming")
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
}

async function copyMessages(db: Writer, { owner, from, to, lastSeq }: Copy): Promise<void> {
  const columns = sql`seq, id, role, parts_json, name, pinned, model, input_tokens, output_tokens, visibility, status,
    search_chunks, created_at`;
  await sql`insert into chat_messages (owner, session_id, ${columns})
    select owner, ${to}, ${columns} from chat_messages
    where owner = ${owner} and session_id = ${from} and seq <= ${lastSeq} and status <> 'streaming'
    order by seq`.execute(db);
}

async function copySnapshots(
  db: Writer,
  { owner, from, to, lastSeq, activeId }: Copy & { readonly activeId: string | undefined },
): Promise<void> {
  // The origin's current summary may cover messages the branch does not have; then an earlier one is in force.
  const state = sql`case when kind <> 'summary' then state when id = ${activeId ?? ""} then 'active'
    when state = 'active' then 'superseded' else state end`;
  await sql`insert into session_snapshots
    (owner, session_id, id, kind, state, version, parent_id, content_json, fold_json, extra_json, message_cutoff_id, cutoff_seq,
      token_count, created_at)
    select owner, ${to}, id, kind, ${state}, version, parent_id, content_json, fold_json, extra_json, message_cutoff_id, cutoff_seq,
      token_count, created_at
    from session_snapshots where owner = ${owner} and session_id = ${from} and cutoff_seq <= ${lastSeq}`.execute(db);
}

async function copySettings(db: Writer, { owner, from, to }: Omit<Copy, "lastSeq">): Promise<void> {
  const [origin, branch] = [from, to].map((sessionId) => scopeName({ kind: "session", sessionId }));
  await sql`insert into settings (owner, scope, key, value_json, updated_at)
    select owner, ${branch}, key, value_json, updated_at from settings
    where owner = ${owner} and scope = ${origin}`.execute(db);
}

const pageLength = 100;

async function indexCopies(db: Writer, { database, owner }: OwnerScope, sessionId: string): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom("chat_messages")
      .select(["doc_id", "seq", "parts_json"])
      .where(({ and }) => and({ owner, session_id: sessionId }))
      .where("seq", ">", after)
      .orderBy("seq")
      .limit(pageLength)
      .execute();
    const entries = [];
    for (const row of rows) {
      entries.push({ docId: row.doc_id, chunks: await indexTerms(searchableText(JSON.parse(row.parts_json))) });
    }
    await addSearchEntries(db, database.traits, { owner, sessionId, entries });
    if (rows.length < pageLength) return;
    after = rows.at(-1)!.seq;
  }
}
