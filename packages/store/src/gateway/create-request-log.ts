import { sql } from "kysely";
import { decodeCursor, encodeCursor, pageSize } from "../cursor.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { LogBuffer } from "./log-buffer.ts";
import type { RequestLog } from "./request-log.ts";
import { toLoggedRequest } from "./request-row.ts";

export function createRequestLog({ database, owner }: OwnerScope, buffer: LogBuffer): RequestLog {
  return {
    write: (entry) => buffer.add(owner, entry),
    flush: () => buffer.flush(),

    async list(filter = {}) {
      const limit = pageSize(filter.limit, 50, 500);
      const rows = await database.read((db) => {
        let query = db.selectFrom("request_log").selectAll().where("owner", "=", owner);
        if (filter.sessionId !== undefined) query = query.where("session_id", "=", filter.sessionId);
        if (filter.after !== undefined) {
          const [at, id] = decodeCursor<[number, string]>(filter.after, ["number", "string"]);
          query = query.where(sql<boolean>`(at, id) < (${at}, ${id})`);
        }
        return query
          .orderBy("at", "desc")
          .orderBy("id", "desc")
          .limit(limit + 1)
          .execute();
      });
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map(toLoggedRequest),
        ...(rows.length > limit && last !== undefined ? { next: encodeCursor(last.at, last.id) } : {}),
      };
    },

    async content(id) {
      const row = await database.read((db) =>
        db
          .selectFrom("request_contents")
          .select(["before_json", "after_json", "beside_json"])
          .where(({ and }) => and({ owner, request_id: id }))
          .executeTakeFirst(),
      );
      return (
        row && {
          before: JSON.parse(row.before_json),
          after: JSON.parse(row.after_json),
          ...(row.beside_json === null ? {} : { beside: JSON.parse(row.beside_json) }),
        }
      );
    },
  };
}
