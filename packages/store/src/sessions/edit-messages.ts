import { MidfoldError, type Part } from "@midfold/core";
import type { OwnerScope } from "../owner-scope.ts";
import type { Writer } from "../sql/database.ts";
import type { MessageRow, SessionRow } from "../sql/schema.ts";
import { addSearchEntries, removeSearchEntries, type SearchEntry } from "../sql/search-entries.ts";
import { indexTerms } from "../text/index-terms.ts";
import { searchableText } from "../text/searchable-text.ts";
import { toStorableJson, toStorableText } from "../text/storable.ts";
import { changeSession, nextEpoch } from "./change-session.ts";
import { loadMessageRow, messageNotFound, toMessageRecord } from "./message-row.ts";
import type { MessageEnding, MessagePatch, MessageRecord } from "./messages.ts";
import { restoreSummary, summaryBefore } from "./snapshot-row.ts";

interface MessagePlace {
  readonly sessionId: string;
  readonly id: string;
}

export async function editMessage(scope: OwnerScope, place: MessagePlace, patch: MessagePatch): Promise<MessageRecord> {
  const { database, owner } = scope;
  const content = patch.parts === undefined ? undefined : await prepareParts(patch.parts);
  return database.write(async (db) => {
    const session = await changeSession(db, database.traits, { owner, id: place.sessionId, change: nextEpoch });
    const before = await loadMessageRow(db, { owner, ...place });
    const after = await updateMessage(db, scope, before, {
      content,
      columns: {
        ...(patch.pinned === undefined ? {} : { pinned: patch.pinned ? 1 : 0 }),
        ...(patch.visibility === undefined ? {} : { visibility: patch.visibility }),
      },
    });
    const cutoff = await retractIfRead(db, session, { before, after });
    return toMessageRecord(after, cutoff);
  });
}

export async function finishMessage(
  scope: OwnerScope,
  place: MessagePlace,
  ending: MessageEnding,
): Promise<MessageRecord> {
  const { database, owner } = scope;
  const content = await prepareParts(ending.parts);
  return database.write(async (db) => {
    const session = await changeSession(db, database.traits, { owner, id: place.sessionId, change: {} });
    const before = await loadMessageRow(db, { owner, ...place });
    if (before.status !== "streaming") {
      throw new MidfoldError("VERSION_CONFLICT", `Message ${place.id} has ended already: it is ${before.status}.`);
    }
    const after = await updateMessage(db, scope, before, {
      content,
      columns: {
        status: ending.status,
        ...(ending.model === undefined ? {} : { model: toStorableText(ending.model) }),
        ...(ending.inputTokens === undefined ? {} : { input_tokens: ending.inputTokens }),
        ...(ending.outputTokens === undefined ? {} : { output_tokens: ending.outputTokens }),
      },
    });
    return toMessageRecord(after, session.cutoff_seq);
  });
}

interface PreparedParts {
  readonly json: string;
  readonly chunks: SearchEntry["chunks"];
}

async function prepareParts(parts: readonly Part[]): Promise<PreparedParts> {
  if (!Array.isArray(parts)) throw new MidfoldError("VALIDATION_ERROR", "The parts of a message must be a list.");
  return { json: toStorableJson(parts), chunks: await indexTerms(searchableText(parts)) };
}

async function updateMessage(
  db: Writer,
  { database }: OwnerScope,
  before: MessageRow & { readonly doc_id: number },
  change: { readonly content: PreparedParts | undefined; readonly columns: Partial<MessageRow> },
): Promise<MessageRow> {
  const { owner, session_id: sessionId, seq } = before;
  const { content } = change;
  if (content !== undefined) await removeSearchEntries(db, { owner, sessionId, fromSeq: seq, toSeq: seq });
  const columns = {
    ...change.columns,
    ...(content === undefined ? {} : { parts_json: content.json, search_chunks: content.chunks.length }),
  };
  if (Object.keys(columns).length === 0) return before;
  const after = await db
    .updateTable("chat_messages")
    .set(columns)
    .where(({ and }) => and({ owner, session_id: sessionId, seq }))
    .returningAll()
    .executeTakeFirst();
  if (after === undefined) throw messageNotFound(sessionId, before.id);
  if (content !== undefined) {
    const entries = [{ docId: before.doc_id, chunks: content.chunks }];
    await addSearchEntries(db, database.traits, { owner, sessionId, entries });
  }
  return after;
}

/** Takes summaries back only if they cover the changed message. Returns the cutoff in force afterwards. */
async function retractIfRead(
  db: Writer,
  session: SessionRow,
  { before, after }: { readonly before: MessageRow; readonly after: MessageRow },
): Promise<number> {
  const changed = before.parts_json !== after.parts_json || before.visibility !== after.visibility;
  if (!changed || after.seq > session.cutoff_seq) return session.cutoff_seq;
  await retractSummaries(db, session, after.seq);
  const row = await db
    .selectFrom("chat_sessions")
    .select("cutoff_seq")
    .where(({ and }) => and({ owner: session.owner, id: session.id }))
    .executeTakeFirst();
  return row?.cutoff_seq ?? 0;
}

/** Takes back every summary that covers `seq` or anything after it, and puts the newest earlier one in force. */
async function retractSummaries(db: Writer, session: SessionRow, seq: number): Promise<void> {
  const { owner, id: sessionId } = session;
  const restored = await summaryBefore(db, session, seq);
  await db
    .updateTable("session_snapshots")
    .set({ state: "void" })
    .where(({ and }) => and({ owner, session_id: sessionId, kind: "summary" }))
    .where("cutoff_seq", ">=", seq)
    .execute();
  if (restored?.id === (session.summary_id ?? undefined)) return;
  await restoreSummary(db, { owner, sessionId }, restored);
}
