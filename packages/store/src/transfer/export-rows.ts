import { open } from "node:fs/promises";
import { sql } from "kysely";
import type { Database, Writer } from "../sql/database.ts";
import { schemaVersion } from "../sql/migrations.ts";
import type { TransferReport } from "../store.ts";
import { type TransferTable, transferFormat, transferTables } from "./transfer-tables.ts";

const pageLength = 500;
type Row = Readonly<Record<string, unknown>>;

/** One consistent state of the whole database, one JSON line per row, after a header line. */
export async function exportRows(database: Database, path: string): Promise<TransferReport> {
  // Never overwrites an older export, which may be the only good one.
  const file = await open(path, "wx");
  try {
    const tables: Record<string, number> = {};
    await file.write(`${JSON.stringify({ format: transferFormat, schemaVersion })}\n`);
    await database.view(async (db) => {
      for (const table of transferTables) {
        tables[table.name] = 0;
        for await (const rows of pages(db, table)) {
          await file.write(rows.map((row) => `${JSON.stringify({ table: table.name, row })}\n`).join(""));
          tables[table.name]! += rows.length;
        }
      }
    });
    // An import checks for this line: without it the file was cut off.
    const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
    await file.write(`${JSON.stringify({ end: true, rows })}\n`);
    await file.sync();
    return { tables, rows };
  } finally {
    await file.close();
  }
}

async function* pages(db: Writer, { name, key, omit = [] }: TransferTable): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last: Row | undefined;
  for (;;) {
    const place = last;
    const after =
      place === undefined ? sql`` : sql`where (${columns}) > (${sql.join(key.map((column) => place[column]))})`;
    const { rows } = await sql<Row>`select * from ${sql.table(name)} ${after}
      order by ${columns} limit ${sql.lit(pageLength)}`.execute(db);
    if (rows.length > 0) {
      yield rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !omit.includes(column))));
    }
    last = rows.at(-1);
    if (rows.length < pageLength) return;
  }
}
