import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from "kysely";
import { StorableSqliteCompiler } from "../storable-parameters.ts";
import type { SqliteThread } from "./sqlite-thread.ts";

export interface SqlitePool {
  /** Makes one more connection; called when all are lent and there are fewer than `most`. */
  readonly open: () => SqliteThread;
  readonly most: number;
  readonly begin: "begin" | "begin immediate";
}

/** Kysely over connections in worker threads. Each is lent to one caller at a time; the others queue in order. */
export function createSqliteDialect(pool: SqlitePool): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(pool),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new StorableSqliteCompiler(),
  };
}

class SqliteDriver implements Driver {
  readonly #pool: SqlitePool;
  readonly #all: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  readonly #queue: ((connection: SqliteConnection) => void)[] = [];

  constructor(pool: SqlitePool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#all.length === this.#pool.most) return new Promise((resolve) => this.#queue.push(resolve));
    const connection = new SqliteConnection(this.#pool.open());
    this.#all.push(connection);
    return connection;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const next = this.#queue.shift();
    if (next !== undefined) next(connection as SqliteConnection);
    else this.#idle.push(connection as SqliteConnection);
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
    await Promise.all(this.#all.map(({ thread }) => thread.close()));
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly thread: SqliteThread;

  constructor(thread: SqliteThread) {
    this.thread = thread;
  }

  async executeQuery<TRow>({ sql, parameters }: CompiledQuery): Promise<QueryResult<TRow>> {
    const { rows, changes } = await this.thread.run(sql, parameters);
    return { rows: rows as TRow[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: streaming across threads is not used; the interface asks for it.
  async *streamQuery<TRow>(): AsyncIterableIterator<QueryResult<TRow>> {
    throw new Error("Streaming is not supported: read in pages.");
  }
}
