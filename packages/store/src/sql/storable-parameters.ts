import { PostgresQueryCompiler, SqliteQueryCompiler } from "kysely";
import { toStorableText } from "../text/storable.ts";

// Every text that reaches a database passes here, ids to look up included: a NUL in one would be an error on PostgreSQL
// and a silent mismatch on SQLite.
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
