import type { OwnerScope } from "../owner-scope.ts";
import { toStorableJson, toStorableText } from "../text/storable.ts";
import { loadSessionRow } from "./session-row.ts";
import { parseScopeName, scopeName } from "./setting-scope.ts";
import type { ResolvedSetting, SettingScope, Settings, SettingTarget } from "./settings.ts";

export function createSettings({ database, owner }: OwnerScope): Settings {
  const rowsOf = (scopes: readonly string[]) =>
    database.read((db) =>
      db
        .selectFrom("settings")
        .select(["scope", "key", "value_json"])
        .where("owner", "=", owner)
        .where("scope", "in", scopes)
        .orderBy("key")
        .execute(),
    );

  return {
    async resolve(target, defaults = {}) {
      const scopes = scopesOf(target);
      const rows = await rowsOf(scopes.map(scopeName));
      const resolved = new Map<string, ResolvedSetting>();
      for (const [key, value] of Object.entries(defaults)) {
        resolved.set(key, { value, source: "default", inherited: value });
      }
      for (const scope of scopes) {
        const name = scopeName(scope);
        for (const row of rows) {
          if (row.scope !== name) continue;
          const inherited = resolved.get(row.key)?.value;
          resolved.set(row.key, { value: JSON.parse(row.value_json), source: scope.kind, inherited });
        }
      }
      return Object.fromEntries(resolved);
    },

    async get(scope) {
      const rows = await rowsOf([scopeName(scope)]);
      return Object.fromEntries(rows.map((row) => [row.key, JSON.parse(row.value_json)]));
    },

    async set(scope, values) {
      const name = scopeName(scope);
      await database.write(async (db) => {
        if (scope.kind === "session") await loadSessionRow(db, owner, scope.sessionId);
        for (const [key, value] of Object.entries(values)) {
          if (value === undefined) {
            await db
              .deleteFrom("settings")
              .where(({ and }) => and({ owner, scope: name, key }))
              .execute();
            continue;
          }
          const columns = { value_json: toStorableJson(value), updated_at: database.traits.now };
          await db
            .insertInto("settings")
            .values({ owner, scope: name, key: toStorableText(key), ...columns })
            .onConflict((conflict) => conflict.columns(["owner", "scope", "key"]).doUpdateSet(columns))
            .execute();
        }
      });
    },

    async list(options) {
      const rows = await database.read(
        (db) =>
          db.selectFrom("settings").selectAll().where("owner", "=", owner).orderBy("scope").orderBy("key").execute(),
        options,
      );
      return rows.map((row) => ({
        scope: parseScopeName(row.scope),
        key: row.key,
        value: JSON.parse(row.value_json),
      }));
    },
  };
}

/** The scopes that apply, the weakest first. */
function scopesOf({ provider, model, sessionId }: SettingTarget): readonly SettingScope[] {
  const scopes: SettingScope[] = [{ kind: "global" }];
  if (provider !== undefined) scopes.push({ kind: "provider", provider });
  if (provider !== undefined && model !== undefined) scopes.push({ kind: "model", provider, model });
  if (sessionId !== undefined) scopes.push({ kind: "session", sessionId });
  return scopes;
}
