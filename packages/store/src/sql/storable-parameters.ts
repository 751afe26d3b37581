import { PostgresQueryCompiler, SqliteQueryCompiler } from "kysely";
import { toStorableText } from "../text/storable.ts";

// Every text sent to a database passes here, ids in queries included: a NUL in one is an error on PostgreSQL, and on
// SQLite it silently matches nothing.
export const toStorable = (value: unknown) => (typeof value === "string" ? toStorableText(value) : value);

export class StorableSqliteCompiler extends SqliteQueryCompiler {
  protected override appendValue(parameter: unknown): void {
    super.appendValue(toStorable(parameter));
  }
}

export class StorablePostgresCompiler extends PostgresQueryCompiler {
  protected override appendValue(parameter: unknown): void {
    super.appendValue(toStorable(parameter));
  }
}
