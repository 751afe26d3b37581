import { createHash, randomBytes } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import { sql } from "kysely";
import { createId } from "../create-id.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Database } from "../sql/database.ts";
import type { KeyRow } from "../sql/schema.ts";
import { toStorableJson, toStorableText } from "../text/storable.ts";
import type { ClientKey, Keys } from "./keys.ts";

const touchEveryMs = 60_000;

/** What is stored and looked up instead of a key. Keys are 256 random bits, so a fast hash is enough. */
export function hashKey(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export async function authenticate(database: Database, keyHash: string): Promise<ClientKey | undefined> {
  const row = await database.read((db) =>
    db
      .selectFrom("client_keys")
      .selectAll()
      .where("hash", "=", keyHash)
      .where("revoked_at", "is", null)
      .executeTakeFirst(),
  );
  return row === undefined ? undefined : toClientKey(row);
}

export function createKeys({ database, owner }: OwnerScope): Keys {
  const { now } = database.traits;
  const change = async (id: string, columns: object): Promise<ClientKey> => {
    const row = await database.write((db) =>
      db
        .updateTable("client_keys")
        .set({ name: sql<string>`name`, ...columns })
        .where("owner", "=", owner)
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst(),
    );
    if (row === undefined) throw new MidfoldError("NOT_FOUND", `There is no key ${id}.`, { details: { keyId: id } });
    return toClientKey(row);
  };

  return {
    async create({ name, limits = {} }) {
      const secret = `mf-${randomBytes(32).toString("base64url")}`;
      const row = await database.write((db) =>
        db
          .insertInto("client_keys")
          .values({
            owner,
            id: createId(),
            hash: hashKey(secret),
            prefix: secret.slice(0, 8),
            name: toStorableText(name),
            limits_json: toStorableJson(limits),
            created_at: now,
            revoked_at: null,
            last_used_at: null,
          })
          .returningAll()
          .executeTakeFirstOrThrow(),
      );
      return { key: toClientKey(row), secret };
    },

    async list() {
      const rows = await database.read((db) =>
        db
          .selectFrom("client_keys")
          .selectAll()
          .where("owner", "=", owner)
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .execute(),
      );
      return rows.map(toClientKey);
    },

    update: (id, { name, limits }) =>
      change(id, {
        ...(name === undefined ? {} : { name: toStorableText(name) }),
        ...(limits === undefined ? {} : { limits_json: toStorableJson(limits) }),
      }),

    revoke: (id) => change(id, { revoked_at: sql<number>`coalesce(revoked_at, ${now})` }),

    async touch(id) {
      await database.write((db) =>
        db
          .updateTable("client_keys")
          .set({ last_used_at: now })
          .where("owner", "=", owner)
          .where("id", "=", id)
          .where(sql<boolean>`coalesce(last_used_at, 0) < ${now} - ${touchEveryMs}`)
          .execute(),
      );
    },
  };
}

function toClientKey(row: KeyRow): ClientKey {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    prefix: row.prefix,
    limits: JSON.parse(row.limits_json),
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
