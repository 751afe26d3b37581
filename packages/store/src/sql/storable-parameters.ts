import { PostgresQueryCompiler, SqliteQueryCompiler } from "kysely";
import { toStorableText } from "../text/storable.ts";

// Every text sent to a database passes here, ids in queries included: a NUL in one is an error on PostgreSQL, and on
// SQLite it silently matches nothing.
const storable = (value: unknown) => (typeof value === "string" ? toStorableText(value) : value);

export class StorableSqliteCompiler extends SqliteQueryCompiler {
  protected override appendValue(parameter: unknown): void {
    super.appendValue(storable(parameter));
  }
}

export class StorablePostgresCompiler extends PostgresQueryCompiler {
  protected override appendValue(parameter: unknown): void {
    super.appendValue(storable(parameter));
  }
}
