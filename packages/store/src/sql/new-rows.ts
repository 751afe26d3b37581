import type { Insertable, Kysely, RawBuilder } from "kysely";
import type { Schema } from "./schema.ts";
import { splitRows } from "./split-rows.ts";

/** Rows for one table, all with the same columns. `key` are the columns by which a row is known to be there already. */
export interface NewRows<TTable extends keyof Schema = keyof Schema> {
  readonly table: TTable;
  readonly rows: readonly NewRow<TTable>[];
  readonly key: readonly string[];
}

type NewRow<TTable extends keyof Schema> = {
  readonly [TColumn in keyof Insertable<Schema[TTable]>]:
    | Insertable<Schema[TTable]>[TColumn]
    | RawBuilder<Insertable<Schema[TTable]>[TColumn]>;
};

/** Rows of one table, whose columns are checked here; a list of several tables' rows has lost their types. */
export function newRows<TTable extends keyof Schema>(
  table: TTable,
  rows: readonly NewRow<TTable>[],
  key: readonly (keyof Schema[TTable] & string)[],
): NewRows {
  return { table, rows, key } as unknown as NewRows;
}

/** Inserts them with one statement for many rows. */
export async function insertGroups(db: Kysely<Schema>, inserts: readonly NewRows[]): Promise<void> {
  for (const insert of inserts)
    for (const group of splitRows(insert.rows)) await statementFor(db, insert, group).execute();
}

/** The statement that inserts these rows. */
export function statementFor(db: Kysely<Schema>, { table, key }: NewRows, rows: NewRows["rows"]) {
  return db
    .insertInto(table)
    .values(rows as never)
    .onConflict((conflict) => conflict.columns(key as never).doNothing());
}
