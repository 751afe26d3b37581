import { MidfoldError } from "@midfold/core";
import { createId } from "../create-id.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Reader } from "../sql/database.ts";
import { toStorableJson } from "../text/storable.ts";
import { changeSession, nextEpoch } from "./change-session.ts";
import { loadMessageRow } from "./message-row.ts";
import { publishSummary } from "./publish-summary.ts";
import {
  loadSnapshotRow,
  nextSnapshotVersion,
  restoreSummary,
  setSnapshotState,
  toSnapshotRecord,
  toSummaryRecord,
} from "./snapshot-row.ts";
import type { SnapshotKind, Snapshots, UndoOutcome } from "./snapshots.ts";

export function createSnapshots(scope: OwnerScope): Snapshots {
  const { database, owner } = scope;
  const loadActive = (db: Reader, sessionId: string, kind: SnapshotKind) =>
    db
      .selectFrom("session_snapshots")
      .selectAll()
      .where("owner", "=", owner)
      .where("session_id", "=", sessionId)
      .where("kind", "=", kind)
      .where("state", "=", "active")
      .executeTakeFirst();
  const loadAll = (sessionId: string, kind: SnapshotKind | undefined) =>
    database.read((db) => {
      const query = db
        .selectFrom("session_snapshots")
        .selectAll()
        .where("owner", "=", owner)
        .where("session_id", "=", sessionId);
      const wanted = kind === undefined ? query : query.where("kind", "=", kind);
      return wanted.orderBy("created_at", "desc").orderBy("version", "desc").execute();
    });

  return {
    publishSummary: (sessionId, draft) => publishSummary(scope, sessionId, draft),
    undoSummary: (sessionId) => undoSummary(scope, sessionId),

    put: (sessionId, { kind, content, extra = {}, messageCutoffId, tokenCount = 0 }) =>
      database.write(async (db) => {
        await changeSession(db, database.traits, { owner, id: sessionId, change: {} });
        const previous = await loadActive(db, sessionId, kind);
        if (previous !== undefined) {
          await setSnapshotState(db, { owner, sessionId, id: previous.id }, "superseded");
        }
        const cutoff =
          messageCutoffId === undefined
            ? undefined
            : await loadMessageRow(db, { owner, sessionId, id: messageCutoffId });
        const row = await db
          .insertInto("session_snapshots")
          .values({
            owner,
            session_id: sessionId,
            id: createId(),
            kind,
            state: "active",
            version: await nextSnapshotVersion(db, { owner, sessionId, kind }),
            parent_id: previous?.id ?? null,
            content_json: toStorableJson(content),
            fold_json: null,
            extra_json: toStorableJson(extra),
            message_cutoff_id: cutoff?.id ?? null,
            cutoff_seq: cutoff?.seq ?? 0,
            token_count: tokenCount,
            created_at: database.traits.now,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        return toSnapshotRecord(row);
      }),

    async activeSummary(sessionId) {
      const row = await database.read((db) => loadActive(db, sessionId, "summary"));
      return row === undefined ? undefined : toSummaryRecord(row);
    },

    async active(sessionId, kind) {
      const row = await database.read((db) => loadActive(db, sessionId, kind));
      return row === undefined ? undefined : toSnapshotRecord(row);
    },

    get: async (sessionId, id) =>
      toSnapshotRecord(await database.read((db) => loadSnapshotRow(db, { owner, sessionId, id }))),

    list: async (sessionId, kind) => (await loadAll(sessionId, kind)).map((row) => toSnapshotRecord(row)),
    summaries: async (sessionId) => (await loadAll(sessionId, "summary")).map(toSummaryRecord),
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
