import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { OwnerScope } from "../owner-scope.ts";
import type { Seal } from "../seal.ts";
import type { ReadOptions } from "../sql/database.ts";
import type { ProviderRow } from "../sql/schema.ts";
import { toStorableText } from "../text/storable.ts";
import type { Provider, Providers } from "./providers.ts";

export function createProviders({ database, owner }: OwnerScope, seal: Seal | undefined): Providers {
  const { now } = database.traits;
  const rows = (options?: ReadOptions) =>
    database.read(
      (db) => db.selectFrom("providers").selectAll().where("owner", "=", owner).orderBy("name").execute(),
      options,
    );

  return {
    list: async () => (await rows()).map(toProvider),

    async put({ name, kind, baseUrl, key }) {
      const named = toStorableText(name);
      const secret =
        key === undefined
          ? {}
          : {
              key_sealed: key === null ? null : closed(seal, key, placeOf(owner, named)),
              key_hint: key === null ? null : hintOf(key),
            };
      const columns = { kind: toStorableText(kind), base_url: baseUrl === undefined ? null : toStorableText(baseUrl) };
      const row = await database.write(async (db) => {
        const before = await db
          .selectFrom("providers")
          .selectAll()
          .where(({ and }) => and({ owner, name: named }))
          .executeTakeFirst();
        const moved = before !== undefined && (before.base_url !== columns.base_url || before.kind !== columns.kind);
        if (key === undefined && moved && before.key_sealed !== null) {
          // Whoever may change the address could otherwise have the key sent to a server of their own.
          throw new MidfoldError("VALIDATION_ERROR", "Enter the key again: it was given for another address.", {
            details: { field: "key" },
          });
        }
        return db
          .insertInto("providers")
          .values({
            owner,
            name: named,
            ...columns,
            key_sealed: null,
            key_hint: null,
            ...secret,
            created_at: now,
            updated_at: now,
          })
          .onConflict((conflict) =>
            conflict.columns(["owner", "name"]).doUpdateSet({ ...columns, ...secret, updated_at: now }),
          )
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return toProvider(row);
    },

    async remove(name) {
      const { numDeletedRows } = await database.write((db) =>
        db.deleteFrom("providers").where("owner", "=", owner).where("name", "=", name).executeTakeFirstOrThrow(),
      );
      if (numDeletedRows === 0n) throw new MidfoldError("NOT_FOUND", `There is no provider "${name}".`);
    },

    open: async (options) => (await rows(options)).map((row) => ({ ...toProvider(row), ...opened(seal, row) })),
  };
}

function opened(
  seal: Seal | undefined,
  { owner, name, key_sealed }: ProviderRow,
): { key: string | undefined; keyLost: boolean } {
  if (key_sealed === null) return { key: undefined, keyLost: false };
  try {
    const key = seal?.open(key_sealed, placeOf(owner, name));
    return { key, keyLost: key === undefined };
  } catch (error) {
    if (isMidfoldError(error, "STORE_UNSAFE")) return { key: undefined, keyLost: true };
    throw error;
  }
}

const placeOf = (owner: string, name: string) => [owner, "provider", name];

function closed(seal: Seal | undefined, key: string, place: readonly string[]): string {
  if (seal !== undefined) return seal.close(key, place);
  throw new MidfoldError(
    "INVALID_CONFIG",
    "A provider's key is only stored encrypted, and there is no secret to do that with. Set MIDFOLD_SECRET on every replica.",
  );
}

/** The last four characters; nothing of a key so short that they would give it away. */
function hintOf(key: string): string {
  return key.length < 12 ? "…" : `…${key.slice(-4)}`;
}

function toProvider(row: ProviderRow): Provider {
  return {
    name: row.name,
    kind: row.kind,
    baseUrl: row.base_url ?? undefined,
    keyHint: row.key_hint ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
