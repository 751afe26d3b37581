import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { MidfoldError } from "@midfold/core";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  isExpression,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from "kysely";
import { createDatabase, type Database, toStoreError } from "../database.ts";
import { type NewRows, statementFor } from "../new-rows.ts";
import type { Schema } from "../schema.ts";
import { StorableSqliteCompiler, toStorable } from "../storable-parameters.ts";
import { type SqliteBatch, SqliteThread } from "./sqlite-thread.ts";
import { sqliteTraits } from "./sqlite-traits.ts";

/** Earlier versions can lose pages when a write coincides with a checkpoint of another connection. */
const minimumVersion = "3.51.3";
const readers = 2;
/** A reader idle for this long is closed: its thread takes 12 MB, and a new one starts within milliseconds. */
const readerIdleMs = 10_000;
const pragmas = [
  "busy_timeout = 10000",
  // An acknowledged commit survives a power loss; the default of WAL mode does not promise that.
  "synchronous = full",
  "secure_delete = on",
  "journal_size_limit = 67108864",
  // Kilobytes per connection. The operating system caches the file's pages as well.
  "cache_size = -2048",
  "temp_store = memory",
];

/** One writer and some readers, each in its own thread, on a database file that is created if missing. */
export async function openSqlite(path: string): Promise<Database> {
  const file = resolve(path);
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (cause) {
    throw new MidfoldError("STORE_UNSAFE", `The folder of ${path} cannot be made. Choose another place.`, { cause });
  }
  keepPrivate(file);
  const writer = new SqliteThread({ path: file, readOnly: false, pragmas: [...pragmas, "journal_mode = wal"] });
  try {
    await assertSafe(writer, path);
  } catch (error) {
    await writer.close().catch(() => undefined);
    throw toStoreError(error, sqliteTraits);
  }
  const db = new Kysely<Schema>({
    dialect: createSqliteDialect({ open: () => writer, most: 1, begin: "begin immediate" }),
  });
  const openReader = () => new SqliteThread({ path: file, readOnly: true, pragmas });
  const database = createDatabase({
    writer: db,
    insertNew: (inserts) => insertEach(db, inserts),
    reader: new Kysely<Schema>({
      dialect: createSqliteDialect({ open: openReader, most: readers, begin: "begin", idleMs: readerIdleMs }),
    }),
    traits: sqliteTraits,
  });
  return {
    ...database,
    async close() {
      await database.close();
      // Kysely closes only connections that were used.
      await writer.close();
    },
  };
}

/**
 * Inserts row by row with one prepared statement, in one message to the thread. A statement for many rows has to be
 * written and prepared for every number of rows, which costs several times as much here and there.
 */
function insertEach(writer: Kysely<Schema>, inserts: readonly NewRows[]): Promise<void> {
  const batches: SqliteBatch[] = [];
  for (const insert of inserts) {
    const [first] = insert.rows;
    if (first === undefined) continue;
    // An expression, such as the database's clock, is part of the statement.
    const columns = Object.keys(first).filter((column) => !isExpression(columnOf(first, column)));
    batches.push({
      sql: statementFor(writer, insert, [first]).compile().sql,
      rows: insert.rows.map((row) => columns.map((column) => toStorable(columnOf(row, column)))),
    });
  }
  return writer.connection().execute(async (connection) => {
    await connection.executeQuery(CompiledQuery.raw("", batches));
  });
}

const columnOf = (row: object, column: string) => (row as Readonly<Record<string, unknown>>)[column];

/**
 * Conversations must not be readable by other users of this machine. SQLite gives its side files the mode of the
 * database. Errors are ignored here: opening the file, which comes next, reports them.
 */
function keepPrivate(file: string): void {
  try {
    closeSync(openSync(file, "a", 0o600));
    const { mode } = statSync(file);
    if ((mode & 0o077) !== 0) chmodSync(file, mode & 0o700);
  } catch {}
}

async function assertSafe(thread: SqliteThread, path: string): Promise<void> {
  const value = async (sql: string) => Object.values((await thread.run(sql)).rows[0] as object)[0] as unknown;
  const expected: readonly (readonly [string, unknown, string])[] = [
    ["pragma journal_mode", "wal", "write-ahead logging (is the file on a network drive?)"],
    ["pragma synchronous", 2, "full synchronisation"],
    ["pragma foreign_keys", 1, "foreign keys"],
    ["select sqlite_compileoption_used('ENABLE_FTS5')", 1, "full-text search (FTS5)"],
  ];
  const version = String(await value("select sqlite_version()"));
  if (compareVersions(version, minimumVersion) < 0) {
    throw new MidfoldError(
      "STORE_UNSAFE",
      `SQLite ${version} can lose data. Use Node with ${minimumVersion} or newer.`,
    );
  }
  for (const [question, answer, meaning] of expected) {
    if ((await value(question)) === answer) continue;
    throw new MidfoldError("STORE_UNSAFE", `The database at ${path} does not offer ${meaning}.`);
  }
}

function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split(".").map(Number));
  for (let index = 0; index < 3; index++) {
    const difference = (a![index] ?? 0) - (b![index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

interface SqlitePool {
  /** Makes one more connection; called when all are lent and there are fewer than `most`. */
  readonly open: () => SqliteThread;
  readonly most: number;
  readonly begin: "begin" | "begin immediate";
  /** How long a connection may be without work before it is closed; for ever when absent. */
  readonly idleMs?: number;
}

/** Kysely over connections in worker threads. Each is lent to one caller at a time; the others queue in order. */
function createSqliteDialect(pool: SqlitePool): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(pool),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new StorableSqliteCompiler(),
  };
}

class SqliteDriver implements Driver {
  readonly #pool: SqlitePool;
  readonly #all = new Set<SqliteConnection>();
  /** The most recently used is last and is lent first, so that the others can become idle. */
  readonly #idle: SqliteConnection[] = [];
  readonly #queue: ((connection: SqliteConnection) => void)[] = [];

  constructor(pool: SqlitePool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      clearTimeout(idle.closing);
      return idle;
    }
    if (this.#all.size === this.#pool.most) return new Promise((resolve) => this.#queue.push(resolve));
    const connection = new SqliteConnection(this.#pool.open());
    this.#all.add(connection);
    return connection;
  }

  async releaseConnection(released: DatabaseConnection): Promise<void> {
    const connection = released as SqliteConnection;
    const next = this.#queue.shift();
    if (next !== undefined) return next(connection);
    this.#idle.push(connection);
    const { idleMs } = this.#pool;
    if (idleMs !== undefined) connection.closing = setTimeout(() => this.#end(connection), idleMs).unref();
  }

  #end(connection: SqliteConnection): void {
    this.#idle.splice(this.#idle.indexOf(connection), 1);
    this.#all.delete(connection);
    // It is idle, so nobody waits for it: an error while closing concerns nobody.
    connection.thread.close().catch(() => undefined);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as SqliteConnection).thread.run(this.#pool.begin);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as SqliteConnection).thread.run("commit");
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Some errors (full disk, corruption) have rolled back already.
    await (connection as SqliteConnection).thread.run("rollback").catch(() => undefined);
  }

  async destroy(): Promise<void> {
    for (const { closing } of this.#all) clearTimeout(closing);
    await Promise.all(Array.from(this.#all, ({ thread }) => thread.close()));
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly thread: SqliteThread;
  /** Set while it is idle. */
  closing: NodeJS.Timeout | undefined;

  constructor(thread: SqliteThread) {
    this.thread = thread;
  }

  async executeQuery<TRow>({ sql, parameters }: CompiledQuery): Promise<QueryResult<TRow>> {
    if (sql === "") {
      await this.thread.insert(parameters as readonly SqliteBatch[]);
      return { rows: [] };
    }
    const { rows, changes } = await this.thread.run(sql, parameters);
    return { rows: rows as TRow[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: streaming across threads is not used; the interface asks for it.
  async *streamQuery<TRow>(): AsyncIterableIterator<QueryResult<TRow>> {
    throw new Error("Streaming is not supported: read in pages.");
  }
}
