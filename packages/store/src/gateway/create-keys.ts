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
  return database.read(async (db) => {
    const row = await db
      .selectFrom("client_keys")
      .selectAll()
      .where("hash", "=", keyHash)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const key = toClientKey(row);
    const [first] = key.ancestors;
    if (first === undefined) return key;
    const root = await db
      .selectFrom("client_keys")
      .selectAll()
      .where(({ and }) => and({ owner: key.owner, id: first }))
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    if (root === undefined) return undefined;
    // A key that another key made never gets the right to run the server, even if that key has it.
    const { admin: _, ...limits } = toClientKey(root).limits;
    return { ...key, limits };
  });
}

export function createKeys({ database, owner }: OwnerScope): Keys {
  const { now } = database.traits;
  const notFound = (id: string) => new MidfoldError("NOT_FOUND", `There is no key ${id}.`, { details: { keyId: id } });
  return {
    async create({ name, limits = {}, madeBy }) {
      const secret = `mf-${randomBytes(32).toString("base64url")}`;
      const row = await database.write(async (db) => {
        const maker =
          madeBy === undefined
            ? undefined
            : await db
                .selectFrom("client_keys")
                .selectAll()
                .where(({ and }) => and({ owner, id: madeBy }))
                .where("revoked_at", "is", null)
                .executeTakeFirst();
        if (madeBy !== undefined && maker === undefined) throw notFound(madeBy);
        const ancestors = maker === undefined ? [] : [...toClientKey(maker).ancestors, maker.id];
        return db
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
            ancestors_json: JSON.stringify(ancestors),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
      });
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

    async revoke(id) {
      return database.write(async (db) => {
        const row = await db
          .updateTable("client_keys")
          .set({ revoked_at: sql<number>`coalesce(revoked_at, ${now})` })
          .where(({ and }) => and({ owner, id }))
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw notFound(id);
        await db
          .updateTable("client_keys")
          .set({ revoked_at: now })
          .where("owner", "=", owner)
          .where("revoked_at", "is", null)
          // Ids are letters, digits and dashes: nothing in one is a wildcard.
          .where("ancestors_json", "like", `%"${id}"%`)
          .execute();
        return toClientKey(row);
      });
    },

    async touch(id) {
      await database.write((db) =>
        db
          .updateTable("client_keys")
          .set({ last_used_at: now })
          .where(({ and }) => and({ owner, id }))
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
    ancestors: JSON.parse(row.ancestors_json),
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
