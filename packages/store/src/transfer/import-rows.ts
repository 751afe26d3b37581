import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { MidfoldError } from "@midfold/core";
import type { Database, Writer } from "../sql/database.ts";
import { schemaVersion } from "../sql/migrations.ts";
import type { MessageRow, Schema } from "../sql/schema.ts";
import { addSearchEntries } from "../sql/search-entries.ts";
import type { TransferReport } from "../store.ts";
import { indexTerms } from "../text/index-terms.ts";
import { searchableText } from "../text/searchable-text.ts";
import { transferFormat, transferTables } from "./transfer-tables.ts";

const batchLength = 200;
const known = new Set<string>(transferTables.map(({ name }) => name));

interface Line {
  readonly format?: string;
  readonly schemaVersion?: number;
  readonly table?: keyof Schema;
  readonly row?: Record<string, unknown>;
  readonly end?: boolean;
  readonly rows?: number;
}

/** All of an export or nothing: one transaction, which also checks that the file was not cut off. */
export async function importRows(database: Database, path: string): Promise<TransferReport> {
  return database.maintain(async (db) => {
    await refuseUnlessEmpty(db);
    const tables: Record<string, number> = Object.fromEntries(transferTables.map(({ name }) => [name, 0]));
    let count = 0;
    let ended = false;
    let batch: Line[] = [];
    const flush = async () => {
      if (batch.length > 0) await insertBatch(db, database, batch);
      batch = [];
    };
    for await (const { line, number } of linesOf(path)) {
      if (number === 1) checkHeader(line, path);
      else if (line.end === true) {
        ended = line.rows === count;
      } else if (line.table !== undefined && line.row !== undefined && known.has(line.table)) {
        if (batch.length === batchLength || (batch[0] !== undefined && batch[0].table !== line.table)) await flush();
        batch.push(line);
        tables[line.table]! += 1;
        count += 1;
      } else throw new MidfoldError("VALIDATION_ERROR", `${path}, line ${number}: not a row of a Midfold export.`);
    }
    await flush();
    if (!ended) throw new MidfoldError("VALIDATION_ERROR", `${path} was cut off. Nothing was imported.`);
    return { tables, rows: count };
  });
}

async function* linesOf(path: string): AsyncGenerator<{ readonly line: Line; readonly number: number }> {
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity })) {
    number++;
    try {
      yield { line: JSON.parse(text) as Line, number };
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new MidfoldError("VALIDATION_ERROR", `${path}, line ${number}: not JSON.`, { cause });
    }
  }
}

function checkHeader({ format, schemaVersion: version }: Line, path: string): void {
  if (format !== transferFormat) throw new MidfoldError("VALIDATION_ERROR", `${path} is not a Midfold export.`);
  if (version !== undefined && version <= schemaVersion) return;
  throw new MidfoldError("STORE_TOO_NEW", `${path} was written by a newer Midfold. Import it with that one.`);
}

async function refuseUnlessEmpty(db: Writer): Promise<void> {
  for (const { name } of transferTables) {
    const row = await db.selectFrom(name).select("owner").limit(1).executeTakeFirst();
    if (row === undefined) continue;
    throw new MidfoldError("VALIDATION_ERROR", "The database holds data already. Import into an empty one.");
  }
}

async function insertBatch(db: Writer, { traits }: Database, batch: readonly Line[]): Promise<void> {
  const table = batch[0]!.table!;
  const rows = batch.map(({ row }) => row!);
  if (table !== "chat_messages") {
    await db
      .insertInto(table)
      .values(rows as never)
      .execute();
    return;
  }
  const messages: MessageRow[] = [];
  const terms = new Map<string, Awaited<ReturnType<typeof indexTerms>>>();
  const keyOf = (row: Pick<MessageRow, "owner" | "session_id" | "id">) =>
    JSON.stringify([row.owner, row.session_id, row.id]);
  for (const row of rows as unknown as MessageRow[]) {
    const chunks = await indexTerms(searchableText(JSON.parse(row.parts_json)));
    messages.push({ ...row, search_chunks: chunks.length });
    terms.set(keyOf(row), chunks);
  }
  const inserted = await db
    .insertInto("chat_messages")
    .values(messages)
    .returning(["doc_id", "owner", "session_id", "id"])
    .execute();
  for (const row of inserted) {
    const entries = [{ docId: row.doc_id, chunks: terms.get(keyOf(row)) ?? [] }];
    await addSearchEntries(db, traits, { owner: row.owner, sessionId: row.session_id, entries });
  }
}
