import { MidfoldError } from "@midfold/core";
import { sql } from "kysely";
import type { Database, Reader, Writer } from "./database.ts";
import { type Migration, migrations } from "./migrations.ts";

/**
 * Brings the database to this program's version. Each step is one transaction that also records the step, under a lock:
 * a crash leaves a finished step or none, and of two programs that start at once one waits for the other.
 */
export async function migrate(database: Database, steps: readonly Migration[] = migrations): Promise<number> {
  const target = steps.at(-1)?.version ?? 0;
  for (;;) {
    const done = await database.maintain((db) => migrateOnce(db, database, steps));
    if (done > target) {
      throw new MidfoldError(
        "STORE_TOO_NEW",
        `The database is at version ${done}, and this Midfold knows versions up to ${target}. Start the newer Midfold.`,
        { details: { database: done, program: target } },
      );
    }
    if (done === target) return done;
  }
}

/** The version of a database, 0 if it was never migrated. */
export function storedVersion(database: Database): Promise<number> {
  return database.read(async (db) => {
    const tables = await db.introspection.getTables();
    return tables.some(({ name }) => name === "schema_migrations") ? currentVersion(db) : 0;
  });
}

/** Applies the next step, if there is one, and returns the version reached. */
async function migrateOnce(db: Writer, { traits }: Database, steps: readonly Migration[]): Promise<number> {
  await traits.lockMigrations(db);
  await sql`create table if not exists schema_migrations
    (version integer primary key, name text not null, applied_at bigint not null)`.execute(db);
  const current = await currentVersion(db);
  const next = steps.find(({ version }) => version > current);
  if (next === undefined) return current;
  for (const statement of next.statements(traits)) await sql.raw(statement).execute(db);
  await db
    .insertInto("schema_migrations")
    .values({ version: next.version, name: next.name, applied_at: traits.now })
    .execute();
  return next.version;
}

export async function currentVersion(db: Reader): Promise<number> {
  const row = await db
    .selectFrom("schema_migrations")
    .select(({ fn }) => fn.max("version").as("version"))
    .executeTakeFirst();
  return row?.version ?? 0;
}
