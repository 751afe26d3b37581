import { sql } from "kysely";
import type { OwnerScope } from "../owner-scope.ts";
import { toStorableJson } from "../text/storable.ts";
import type { Folds, StoredFold } from "./learned.ts";

/** Prefixes per question, well below what either database allows in parameters. */
const batch = 500;
/** How exact "last used" is: a fold that is met on every request must not cause a write on every request. */
const usedGrainMs = 3_600_000;

export function createFolds({ database, owner }: OwnerScope): Folds {
  const { now } = database.traits;
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
        best = { fold: toFold(row), stale: row.stale === 1 };
      }
      if (best?.stale === true) await noteUse(best.fold.prefix);
      return best?.fold;
    },

    async put({ prefix, covered, record }) {
      const row = await database.write(async (db) => {
        await db
          .insertInto("fold_records")
          .values({ owner, prefix, covered, record_json: toStorableJson(record), created_at: now, used_at: now })
          .onConflict((conflict) => conflict.columns(["owner", "prefix"]).doNothing())
          .execute();
        return db
          .selectFrom("fold_records")
          .selectAll()
          .where("owner", "=", owner)
          .where("prefix", "=", prefix)
          .executeTakeFirstOrThrow();
      });
      return toFold(row);
    },

    async remove(prefix) {
      await database.write((db) =>
        db.deleteFrom("fold_records").where("owner", "=", owner).where("prefix", "=", prefix).execute(),
      );
    },

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
        .where("owner", "=", owner)
        .where("prefix", "=", prefix)
        .execute(),
    );
  }
}

function toFold(row: {
  readonly prefix: string;
  readonly covered: number;
  readonly record_json: string;
  readonly created_at: number;
}): StoredFold {
  return { prefix: row.prefix, covered: row.covered, record: JSON.parse(row.record_json), createdAt: row.created_at };
}
