import { sql } from "kysely";
import { createId } from "../create-id.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Writer } from "../sql/database.ts";
import type { SessionRow } from "../sql/schema.ts";
import { addSearchEntries } from "../sql/search-entries.ts";
import { indexTerms } from "../text/index-terms.ts";
import { searchableText } from "../text/searchable-text.ts";
import { toStorableText } from "../text/storable.ts";
import { changeSession, nextEpoch } from "./change-session.ts";
import { loadMessageRow } from "./message-row.ts";
import { toSessionRecord } from "./session-row.ts";
import type { SessionRecord } from "./sessions.ts";
import { scopeName } from "./setting-scope.ts";
import { summaryBefore } from "./summary-before.ts";

interface Branch {
  readonly id: string;
  readonly upTo?: string;
  readonly title?: string;
}

/**
 * Branches copy. Messages keep their ids and sequence numbers, which are unique within a session only, so a copied
 * snapshot speaks of the branch's own messages without a word changed, and deleting the origin cannot hurt the branch.
 */
export async function branchSession(scope: OwnerScope, branch: Branch): Promise<SessionRecord> {
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
    .where("owner", "=", session.owner)
    .where("session_id", "=", session.id)
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
  // The summary in force may differ: the origin's current one can reach beyond the branch.
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
      .where("owner", "=", owner)
      .where("session_id", "=", sessionId)
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
