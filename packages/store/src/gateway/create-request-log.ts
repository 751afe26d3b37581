import { MidfoldError } from "@midfold/core";
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
        if (filter.since !== undefined) query = query.where("at", ">=", filter.since);
        if (filter.until !== undefined) query = query.where("at", "<", filter.until);
        if (filter.model !== undefined) query = query.where("model", "=", filter.model);
        if (filter.sessionId !== undefined) query = query.where("session_id", "=", filter.sessionId);
        if (filter.keyId !== undefined) query = query.where("key_id", "=", filter.keyId);
        if (filter.folded !== undefined) query = query.where("action", filter.folded ? "<>" : "=", "none");
        if (filter.failed !== undefined) query = query.where("status", filter.failed ? ">=" : "<", 400);
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

    async get(id) {
      const row = await database.read((db) =>
        db.selectFrom("request_log").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),
      );
      if (row === undefined) throw new MidfoldError("NOT_FOUND", `There is no logged request ${id}.`);
      return toLoggedRequest(row);
    },

    async content(id) {
      const row = await database.read((db) =>
        db
          .selectFrom("request_contents")
          .select(["before_json", "after_json", "beside_json"])
          .where("owner", "=", owner)
          .where("request_id", "=", id)
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

    async totals({ since, until } = {}) {
      const total = (expression: string) => sql<number>`cast(coalesce(sum(${sql.raw(expression)}), 0) as bigint)`;
      return database.read((db) => {
        let query = db.selectFrom("request_log").where("owner", "=", owner);
        if (since !== undefined) query = query.where("at", ">=", since);
        if (until !== undefined) query = query.where("at", "<", until);
        return query
          .select([
            "model",
            sql<number>`count(*)`.as("requests"),
            total("case when action <> 'none' then 1 else 0 end").as("folded"),
            total("case when status >= 400 then 1 else 0 end").as("failed"),
            total("tokens_before").as("tokensBefore"),
            total("tokens_after").as("tokensAfter"),
            total("input_tokens").as("inputTokens"),
            total("output_tokens").as("outputTokens"),
            total("cost_micros").as("costMicros"),
          ])
          .groupBy("model")
          .orderBy("model")
          .execute();
      });
    },

    async prune(olderThan) {
      const { numDeletedRows } = await database.write((db) =>
        db.deleteFrom("request_log").where("owner", "=", owner).where("at", "<", olderThan).executeTakeFirstOrThrow(),
      );
      return Number(numDeletedRows);
    },
  };
}
