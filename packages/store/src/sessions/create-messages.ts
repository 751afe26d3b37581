import { setImmediate as nextTurn } from "node:timers/promises";
import { MidfoldError } from "@midfold/core";
import { sql } from "kysely";
import { createId } from "../create-id.ts";
import { pageSize } from "../cursor.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Writer } from "../sql/database.ts";
import type { MessageRow } from "../sql/schema.ts";
import { addSearchEntries, type SearchEntry } from "../sql/search-entries.ts";
import { indexTerms } from "../text/index-terms.ts";
import { searchableText } from "../text/searchable-text.ts";
import { toStorableJson, toStorableText } from "../text/storable.ts";
import { changeSession } from "./change-session.ts";
import { editMessage, finishMessage } from "./edit-messages.ts";
import { loadMessageRow, messageColumns, toMessageRecord } from "./message-row.ts";
import type { MessageDraft, MessageRecord, Messages } from "./messages.ts";
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
          .where(({ and }) => and({ owner, session_id: sessionId, id, status: "streaming" }))
          .returning("seq")
          .executeTakeFirst();
        return row !== undefined;
      }),
    edit: (sessionId, id, patch) => editMessage(scope, { sessionId, id }, patch),
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
          .where(({ and }) => and({ owner, session_id: sessionId }))
          .executeTakeFirstOrThrow();
        return row;
      }),

    search: (query, options = {}) => searchMessages(scope, query, options),
  };
}

interface Prepared {
  readonly row: Omit<MessageRow, "seq" | "created_at">;
  readonly createdAt: number | undefined;
  readonly chunks: SearchEntry["chunks"];
}

/** How long messages are prepared before other requests get a turn. */
const sliceMs = 10;
/** Rows per statement, well below the number of parameters either database allows. */
const batch = 200;

async function appendMessages(
  scope: OwnerScope,
  sessionId: string,
  drafts: readonly MessageDraft[],
): Promise<readonly MessageRecord[]> {
  const { database, owner } = scope;
  const prepared: Prepared[] = [];
  let until = performance.now() + sliceMs;
  for (const [index, draft] of drafts.entries()) {
    prepared.push(await prepare(scope, sessionId, draft, index));
    if (performance.now() < until) continue;
    // Hundreds of messages at once come from an import; other requests are answered in between.
    await nextTurn();
    until = performance.now() + sliceMs;
  }
  const mayExist = drafts.some(({ id }) => id !== undefined);

  return database.write(async (db) => {
    const place = { owner, id: sessionId };
    let fresh = prepared;
    let known = new Map<string, MessageRecord>();
    if (mayExist) {
      const locked = await changeSession(db, database.traits, { ...place, change: {} });
      known = await findKnown(db, locked, prepared);
      fresh = prepared.filter(({ row }) => !known.has(row.id));
    }
    const change = { last_seq: sql<number>`last_seq + ${fresh.length}` };
    const session = await changeSession(db, database.traits, { ...place, change });
    const firstSeq = session.last_seq - fresh.length + 1;
    const rows = fresh.map(({ row, createdAt }, index) => ({
      ...row,
      seq: firstSeq + index,
      created_at: createdAt ?? session.updated_at,
    }));
    const docIds = await insertRows(db, rows);
    const entries = fresh.map(({ chunks }, index) => ({ docId: docIds.get(firstSeq + index)!, chunks }));
    await addSearchEntries(db, database.traits, { owner, sessionId, entries });
    const written = rows.map((row) => toMessageRecord(row, session.cutoff_seq));
    return [...prepared.keys()].map((index) => known.get(prepared[index]!.row.id) ?? written.shift()!);
  });
}

async function prepare(
  { owner }: OwnerScope,
  sessionId: string,
  draft: MessageDraft,
  position: number,
): Promise<Prepared> {
  checkDraft(draft, position);
  const partsJson = toStorableJson(draft.parts);
  const chunks = await indexTerms(searchableText(draft.parts));
  return {
    createdAt: draft.createdAt,
    chunks,
    row: {
      owner,
      session_id: sessionId,
      id: draft.id === undefined ? createId() : toStorableText(draft.id),
      role: draft.role,
      parts_json: partsJson,
      name: draft.name === undefined ? null : toStorableText(draft.name),
      pinned: draft.pinned === true ? 1 : 0,
      model: draft.model === undefined ? null : toStorableText(draft.model),
      input_tokens: draft.inputTokens ?? null,
      output_tokens: draft.outputTokens ?? null,
      visibility: draft.visibility ?? "all",
      status: draft.status ?? "complete",
      search_chunks: chunks.length,
    },
  };
}

async function findKnown(
  db: Writer,
  session: { readonly owner: string; readonly id: string; readonly cutoff_seq: number },
  prepared: readonly Prepared[],
): Promise<Map<string, MessageRecord>> {
  const known = new Map<string, MessageRecord>();
  for (let from = 0; from < prepared.length; from += batch) {
    const ids = prepared.slice(from, from + batch).map(({ row }) => row.id);
    const rows = await db
      .selectFrom("chat_messages")
      .select(messageColumns)
      .where(({ and }) => and({ owner: session.owner, session_id: session.id }))
      .where("id", "in", ids)
      .execute();
    for (const row of rows) known.set(row.id, toMessageRecord(row, session.cutoff_seq));
  }
  return known;
}

/** For each sequence number the message's number in the search index. */
async function insertRows(db: Writer, rows: readonly MessageRow[]): Promise<Map<number, number>> {
  const docIds = new Map<number, number>();
  for (let from = 0; from < rows.length; from += batch) {
    const inserted = await db
      .insertInto("chat_messages")
      .values(rows.slice(from, from + batch))
      .returning(["doc_id", "seq"])
      .execute();
    for (const { doc_id, seq } of inserted) docIds.set(seq, doc_id);
  }
  return docIds;
}

const roles = new Set(["system", "user", "assistant", "tool"]);
const visibilities = new Set([undefined, "all", "person", "model"]);
const statuses = new Set([undefined, "complete", "streaming", "interrupted", "failed"]);

/** Throws `VALIDATION_ERROR` naming the position and the field. The types do not protect from what a client sends. */
function checkDraft(draft: MessageDraft, position: number): void {
  const refuse = (field: string, must: string) => {
    throw new MidfoldError("VALIDATION_ERROR", `Message ${position}: ${field} must be ${must}.`, {
      details: { position, field },
    });
  };
  if (!roles.has(draft.role)) refuse("role", "system, user, assistant or tool");
  if (!Array.isArray(draft.parts)) refuse("parts", "a list");
  if (!visibilities.has(draft.visibility)) refuse("visibility", "all, person or model");
  if (!statuses.has(draft.status)) refuse("status", "complete, streaming, interrupted or failed");
  if (draft.id !== undefined && (typeof draft.id !== "string" || draft.id === "")) refuse("id", "a text");
  for (const field of ["inputTokens", "outputTokens", "createdAt"] as const) {
    const value = draft[field];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) refuse(field, "a whole number from 0 on");
  }
}
