import { isMidfoldError } from "@midfold/core";
import { sql } from "kysely";
import type { OwnerScope } from "../owner-scope.ts";
import type { Seal } from "../seal.ts";
import type { FoldRow } from "../sql/schema.ts";
import { toStorableJson } from "../text/storable.ts";
import { type FoldBuffer, foldPlace } from "./fold-buffer.ts";
import type { Folds, StoredFold } from "./learned.ts";

/** Prefixes per query, well below the number of parameters either database allows. */
const batch = 500;
/** How exact "last used" is: a fold that every request uses must not cause a write with every request. */
const usedGrainMs = 3_600_000;

/** Records hold words of the conversation, so they are stored encrypted. */
export function createFolds({ database, owner }: OwnerScope, seal: Seal, buffer: FoldBuffer): Folds {
  const { now } = database.traits;
  const placeOf = (prefix: string) => foldPlace(owner, prefix);
  const toFold = (row: FoldRow): StoredFold | undefined => {
    const text = opened(seal, row.record_json, placeOf(row.prefix));
    if (text === undefined) return undefined;
    return { prefix: row.prefix, covered: row.covered, record: JSON.parse(text), createdAt: row.created_at };
  };
  return {
    async find(prefixes) {
      let best: { readonly fold: StoredFold; readonly stale: boolean } | undefined;
      for (let from = 0; from < prefixes.length; from += batch) {
        const row = await database.read((db) =>
          db
            .selectFrom("fold_records")
            .selectAll()
            .select(sql<number>`case when used_at < ${now} - ${usedGrainMs} then 1 else 0 end`.as("stale"))
            .where("owner", "=", owner)
            .where("prefix", "in", prefixes.slice(from, from + batch))
            .orderBy("covered", "desc")
            .limit(1)
            .executeTakeFirst(),
        );
        if (row === undefined || (best !== undefined && best.fold.covered >= row.covered)) continue;
        const fold = toFold(row);
        if (fold !== undefined) best = { fold, stale: row.stale === 1 };
      }
      if (best?.stale === true) await noteUse(best.fold.prefix);
      return best?.fold;
    },

    async put({ prefix, covered, record }) {
      const record_json = seal.close(toStorableJson(record), placeOf(prefix));
      const row = await database.write(async (db) => {
        await db
          .insertInto("fold_records")
          .values({ owner, prefix, covered, record_json, created_at: now, used_at: now })
          .onConflict((conflict) => conflict.columns(["owner", "prefix"]).doNothing())
          .execute();
        return db
          .selectFrom("fold_records")
          .selectAll()
          .where(({ and }) => and({ owner, prefix }))
          .executeTakeFirstOrThrow();
      });
      // A record made with another secret can no longer be read: this one replaces it.
      const stored = toFold(row);
      if (stored !== undefined) return stored;
      await database.write((db) =>
        db
          .updateTable("fold_records")
          .set({ covered, record_json })
          .where(({ and }) => and({ owner, prefix }))
          .execute(),
      );
      return { prefix, covered, record, createdAt: row.created_at };
    },

    putSoon: (fold) => buffer.add(owner, fold),

    async prune(unusedSince) {
      const { numDeletedRows } = await database.write((db) =>
        db
          .deleteFrom("fold_records")
          .where("owner", "=", owner)
          .where("used_at", "<", unusedSince)
          .executeTakeFirstOrThrow(),
      );
      return Number(numDeletedRows);
    },
  };

  async function noteUse(prefix: string): Promise<void> {
    await database.write((db) =>
      db
        .updateTable("fold_records")
        .set({ used_at: now })
        .where(({ and }) => and({ owner, prefix }))
        .execute(),
    );
  }
}

/** Undefined when it was encrypted with another secret. Earlier versions stored plain JSON. */
function opened(seal: Seal, text: string, place: readonly string[]): string | undefined {
  if (text.startsWith("{")) return text;
  try {
    return seal.open(text, place);
  } catch (error) {
    if (isMidfoldError(error, "STORE_UNSAFE")) return undefined;
    throw error;
  }
}
