import type { Database } from "../sql/database.ts";
import type { LoggedRequest } from "./request-log.ts";
import { toLoggedRequest } from "./request-row.ts";

export interface OwnedRequest extends LoggedRequest {
  readonly owner: string;
}

export interface RequestBounds {
  /** Entries older than this are deleted. */
  readonly olderThan: number;
  /** Of the others only this many are kept, the newest. */
  readonly keep: number;
}

/** The request log of all owners together, for whoever runs the server. */
export interface SharedRequestLog {
  /** Whether the messages of requests are kept. */
  readonly keepsContent: boolean;
  /** Newest first. */
  newest(limit: number): Promise<readonly OwnedRequest[]>;
  /** Deletes entries, with captured content, until the log is within its bounds. Returns how many. */
  prune(bounds: RequestBounds): Promise<number>;
}

/** Rows deleted in one transaction, which other writers have to wait for. */
const batch = 1_000;

export function createSharedRequestLog(database: Database, keepsContent: boolean): SharedRequestLog {
  /** Everything before this moment may be deleted. */
  const pruneBefore = ({ olderThan, keep }: RequestBounds) =>
    database.read(async (db) => {
      const first = await db
        .selectFrom("request_log")
        .select("at")
        .orderBy("at", "desc")
        .offset(Math.max(0, keep - 1))
        .limit(1)
        .executeTakeFirst();
      return Math.max(olderThan, keep === 0 ? Number.MAX_SAFE_INTEGER : (first?.at ?? olderThan));
    });
  const deleteSome = (before: number) =>
    database.write(async (db) => {
      const rows = await db
        .selectFrom("request_log")
        .select(["owner", "id"])
        .where("at", "<", before)
        .orderBy("at")
        .limit(batch)
        .execute();
      for (const owner of new Set(rows.map((row) => row.owner))) {
        const ids = rows.filter((row) => row.owner === owner).map(({ id }) => id);
        await db.deleteFrom("request_log").where("owner", "=", owner).where("id", "in", ids).execute();
      }
      return rows.length;
    });
  return {
    keepsContent,
    async newest(limit) {
      const rows = await database.read((db) =>
        db.selectFrom("request_log").selectAll().orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute(),
      );
      return rows.map((row) => ({ owner: row.owner, ...toLoggedRequest(row) }));
    },
    async prune(bounds) {
      const before = await pruneBefore(bounds);
      for (let forgotten = 0; ; ) {
        const some = await deleteSome(before);
        forgotten += some;
        if (some < batch) return forgotten;
      }
    },
  };
}
