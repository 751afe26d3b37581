import { MidfoldError } from "@midfold/core";
import { sql } from "kysely";
import { createId } from "../create-id.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Writer } from "../sql/database.ts";
import type { SessionRow } from "../sql/schema.ts";
import { toStorableJson } from "../text/storable.ts";
import { changeSession, nextEpoch } from "./change-session.ts";
import {
  loadSnapshotRow,
  nextSnapshotVersion,
  restoreSummary,
  setSnapshotState,
  toSummaryRecord,
} from "./snapshot-row.ts";
import type {
  PublishOutcome,
  PublishRefusal,
  Snapshots,
  SummaryContent,
  SummaryDraft,
  UndoOutcome,
} from "./snapshots.ts";

export function createSnapshots(scope: OwnerScope): Snapshots {
  const { database, owner } = scope;
  return {
    publishSummary: (sessionId, draft) => publishSummary(scope, sessionId, draft),
    undoSummary: (sessionId) => undoSummary(scope, sessionId),

    async activeSummary(sessionId) {
      const row = await database.read((db) =>
        db
          .selectFrom("session_snapshots")
          .selectAll()
          .where(({ and }) => and({ owner, session_id: sessionId, kind: "summary", state: "active" }))
          .executeTakeFirst(),
      );
      return row === undefined ? undefined : toSummaryRecord(row);
    },

    async summaries(sessionId) {
      const rows = await database.read((db) =>
        db
          .selectFrom("session_snapshots")
          .selectAll()
          .where(({ and }) => and({ owner, session_id: sessionId, kind: "summary" }))
          .orderBy("created_at", "desc")
          .orderBy("version", "desc")
          .execute(),
      );
      return rows.map(toSummaryRecord);
    },

    summary: async (sessionId, id) =>
      toSummaryRecord(await database.read((db) => loadSnapshotRow(db, { owner, sessionId, id }))),
  };
}

async function undoSummary({ database, owner }: OwnerScope, sessionId: string): Promise<UndoOutcome> {
  return database.write(async (db) => {
    const session = await changeSession(db, database.traits, { owner, id: sessionId, change: nextEpoch });
    if (session.summary_id === null) {
      throw new MidfoldError("NOT_FOUND", `Session ${sessionId} has no summary to undo.`, { details: { sessionId } });
    }
    const row = await loadSnapshotRow(db, { owner, sessionId, id: session.summary_id });
    await setSnapshotState(db, { owner, sessionId, id: row.id }, "undone");
    const parent =
      row.parent_id === null ? undefined : await loadSnapshotRow(db, { owner, sessionId, id: row.parent_id });
    await restoreSummary(db, { owner, sessionId }, parent);
    return {
      undone: toSummaryRecord({ ...row, state: "undone" }),
      restored: parent === undefined ? undefined : toSummaryRecord({ ...parent, state: "active" }),
      epoch: session.epoch,
    };
  });
}

/** Thrown to roll back the transaction; `publishSummary` returns its reason. */
class Refusal extends Error {
  readonly reason: PublishRefusal;
  constructor(reason: PublishRefusal) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Writing a summary takes minutes, during which nothing is locked. Instead, everything it relied on is compared here,
 * in the transaction that moves the cutoff: the session shows the old summary or the new one, never a mixture.
 */
export async function publishSummary(
  { database, owner }: OwnerScope,
  sessionId: string,
  draft: SummaryDraft,
): Promise<PublishOutcome> {
  const { traits } = database;
  const content = pickContent(draft.content);
  try {
    return await database.write(async (db) => {
      const session = await claim(db, { owner, sessionId, draft });
      await checkFence(db, owner, draft);
      const cutoffSeq = await checkCutoff(db, session, content.messageRange.lastMessageId);
      if (draft.previousId !== undefined) {
        await setSnapshotState(db, { owner, sessionId, id: draft.previousId }, "superseded");
      }
      const row = await db
        .insertInto("session_snapshots")
        .values({
          owner,
          session_id: sessionId,
          id: createId(),
          kind: "summary",
          state: "active",
          version: await nextSnapshotVersion(db, { owner, sessionId, kind: "summary" }),
          parent_id: draft.previousId ?? null,
          content_json: toStorableJson(content),
          fold_json: draft.fold === undefined ? null : toStorableJson(draft.fold),
          extra_json: toStorableJson(draft.extra ?? {}),
          message_cutoff_id: content.messageRange.lastMessageId,
          cutoff_seq: cutoffSeq,
          token_count: content.summaryTokenCount,
          created_at: traits.now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await db
        .updateTable("chat_sessions")
        .set({ summary_id: row.id, cutoff_seq: cutoffSeq, updated_at: traits.now })
        .where(({ and }) => and({ owner, id: sessionId }))
        .execute();
      return { published: true as const, snapshot: toSummaryRecord(row), epoch: session.epoch };
    });
  } catch (error) {
    if (error instanceof Refusal) return { published: false, reason: error.reason };
    throw error;
  }
}

/** Increases the epoch if it is still the one the summary was based on: of several late results only one is stored. */
async function claim(
  db: Writer,
  { owner, sessionId, draft }: { readonly owner: string; readonly sessionId: string; readonly draft: SummaryDraft },
): Promise<SessionRow> {
  const row = await db
    .updateTable("chat_sessions")
    .set(nextEpoch)
    .where(({ and }) => and({ owner, id: sessionId, epoch: draft.epoch }))
    .where("summary_id", "is not distinct from", draft.previousId ?? null)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return row;
  const current = await db
    .selectFrom("chat_sessions")
    .select("summary_id")
    .where(({ and }) => and({ owner, id: sessionId }))
    .executeTakeFirst();
  if (current === undefined) throw new Refusal("session-gone");
  throw new Refusal(current.summary_id === (draft.previousId ?? null) ? "session-changed" : "summary-replaced");
}

/** Writes to the lease's row, so that no one can take the lease over until this transaction has ended. */
async function checkFence(db: Writer, owner: string, { fence }: SummaryDraft): Promise<void> {
  if (fence === undefined) return;
  const row = await db
    .updateTable("leases")
    .set({ token: sql<number>`token` })
    .where(({ and }) => and({ owner, name: fence.name, token: fence.token }))
    .returning("token")
    .executeTakeFirst();
  if (row === undefined) throw new Refusal("lease-lost");
}

async function checkCutoff(db: Writer, session: SessionRow, cutoffId: string): Promise<number> {
  const messages = db
    .selectFrom("chat_messages")
    .select("seq")
    .where("owner", "=", session.owner)
    .where("session_id", "=", session.id);
  const cutoff = await messages.where("id", "=", cutoffId).executeTakeFirst();
  if (cutoff === undefined) throw new Refusal("cutoff-gone");
  if (cutoff.seq < session.cutoff_seq) throw new Refusal("cutoff-behind");
  const unfinished = await messages
    .where("seq", ">", session.cutoff_seq)
    .where("seq", "<=", cutoff.seq)
    .where("status", "=", "streaming")
    .limit(1)
    .executeTakeFirst();
  if (unfinished !== undefined) throw new Refusal("reply-streaming");
  return cutoff.seq;
}

/** Only the fields of the documented format, in its order; everything else belongs into `extra`. */
function pickContent(content: SummaryContent): SummaryContent {
  const { firstMessageId, lastMessageId } = content.messageRange;
  return {
    summaryText: content.summaryText,
    messageRange: { firstMessageId, lastMessageId },
    compressionTimestamp: content.compressionTimestamp,
    compressionType: content.compressionType,
    originalTokenCount: content.originalTokenCount,
    summaryTokenCount: content.summaryTokenCount,
    messagesIncluded: content.messagesIncluded,
  };
}
