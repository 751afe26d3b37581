// Runs in a worker thread: one connection, one statement at a time, so that no lock, sync or long query of SQLite
// blocks the event loop that serves requests.

import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import type { SqliteBatch, ThreadReply, ThreadRequest, ThreadSetup } from "./sqlite-thread.ts";

const { path, readOnly, pragmas } = workerData as ThreadSetup;
const maxStatements = 400;
/** Characters of all prepared statements that are kept. SQLite's compiled form takes about twenty times as much. */
const maxStatementChars = 200_000;
const port = parentPort!;
const statements = new LRUCache<string, StatementSync>({
  max: maxStatements,
  maxSize: maxStatementChars,
  sizeCalculation: (_, sql) => sql.length,
});
let database: DatabaseSync | undefined;

port.on("message", (request: ThreadRequest) => {
  port.postMessage(answer(request));
  if ("close" in request) port.close();
});

function answer(request: ThreadRequest): ThreadReply {
  const { id } = request;
  try {
    if ("close" in request) {
      statements.clear();
      database?.close();
      return { id, rows: [], changes: 0 };
    }
    database ??= open();
    if ("batches" in request) {
      insert(database, request.batches);
      return { id, rows: [], changes: 0 };
    }
    const statement = prepared(database, request.sql);
    if (statement.columns().length > 0) return { id, rows: statement.all(...request.parameters), changes: 0 };
    return { id, rows: [], changes: Number(statement.run(...request.parameters).changes) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    return { id, error: { message, code: errcode ?? 0 } };
  }
}

function insert(opened: DatabaseSync, batches: readonly SqliteBatch[]): void {
  opened.exec("begin immediate");
  try {
    for (const { sql, rows } of batches) {
      const statement = prepared(opened, sql);
      for (const row of rows) statement.run(...(row as readonly SQLInputValue[]));
    }
    opened.exec("commit");
  } catch (error) {
    // Some errors (full disk, corruption) have rolled back already.
    if (opened.isTransaction) opened.exec("rollback");
    throw error;
  }
}

function open(): DatabaseSync {
  const opened = new DatabaseSync(path, { readOnly, enableForeignKeyConstraints: true });
  for (const pragma of pragmas) patiently(() => opened.exec(`pragma ${pragma}`));
  return opened;
}

/** Switching to WAL ignores the busy timeout: of several programs that start at once, all but one would fail. */
function patiently(work: () => void): void {
  for (let attempt = 1; ; attempt++) {
    try {
      work();
      return;
    } catch (error) {
      const busy = ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
      if (!busy || attempt === 200) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

function prepared(opened: DatabaseSync, sql: string): StatementSync {
  let statement = statements.get(sql);
  if (statement === undefined) {
    statement = opened.prepare(sql);
    statements.set(sql, statement);
  }
  return statement;
}
