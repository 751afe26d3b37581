import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { Kysely, Transaction } from "kysely";
import type { DialectTraits } from "./dialect-traits.ts";
import { insertGroups, type NewRows } from "./new-rows.ts";
import type { Schema } from "./schema.ts";

export type Reader = Kysely<Schema>;
export type Writer = Transaction<Schema>;

/** How a read is made. */
export interface ReadOptions {
  /**
   * Nobody waits for it, so it may queue behind writes: of SQLite it is then made by the thread that writes, which is
   * always there. Starting one that reads takes as much processor time as hundreds of requests.
   */
  readonly unhurried?: boolean;
}

/** The same two accesses for every database: reads that never wait for writers, and write transactions. */
export interface Database {
  readonly traits: DialectTraits;
  read<TResult>(query: (db: Reader) => Promise<TResult>, options?: ReadOptions): Promise<TResult>;
  /** All or nothing. `work` may be run again if the database asks for it, so it must not do anything but queries. */
  write<TResult>(work: (db: Writer) => Promise<TResult>): Promise<TResult>;
  /** Many rows of some tables in one transaction. Those whose key is taken already are left out. */
  insertNew(inserts: readonly NewRows[]): Promise<void>;
  /** As `write`, without the time limit: migrations and imports may take minutes. */
  maintain<TResult>(work: (db: Writer) => Promise<TResult>): Promise<TResult>;
  /** A long read of one consistent state. */
  view<TResult>(work: (db: Writer) => Promise<TResult>): Promise<TResult>;
  /** The error of a damaged page met since the database was opened; queries on other pages would still succeed. */
  damage(): MidfoldError | undefined;
  close(): Promise<void>;
}

const maxAttempts = 4;

export function createDatabase(options: {
  readonly reader: Kysely<Schema>;
  readonly writer: Kysely<Schema>;
  /** Connections without a time limit, for `maintain`. */
  readonly upkeep?: Kysely<Schema>;
  /** A faster way to insert many rows than one long statement, where the database has one. */
  readonly insertNew?: (inserts: readonly NewRows[]) => Promise<void>;
  readonly traits: DialectTraits;
}): Database {
  const { reader, writer, upkeep, traits } = options;
  const insertNew = options.insertNew ?? ((inserts) => writer.transaction().execute((db) => insertGroups(db, inserts)));
  let damage: MidfoldError | undefined;

  async function translated<TResult>(work: () => Promise<TResult>): Promise<TResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (traits.troubleOf(error) === "transient" && attempt < maxAttempts) continue;
        const trouble = toStoreError(error, traits);
        if (isMidfoldError(trouble, "STORE_CORRUPT")) damage ??= trouble;
        throw trouble;
      }
    }
  }

  return {
    traits,
    damage: () => damage,
    read: (query, options) => translated(() => query(options?.unhurried === true ? writer : reader)),
    write: (work) => translated(() => writer.transaction().execute(work)),
    insertNew: (inserts) => translated(() => insertNew(inserts)),
    maintain: (work) => translated(() => (upkeep ?? writer).transaction().execute(work)),
    view: (work) =>
      translated(() => {
        const transaction = (upkeep ?? reader).transaction();
        const isolated = traits.readIsolation ? transaction.setIsolationLevel(traits.readIsolation) : transaction;
        return isolated.execute(work);
      }),
    async close() {
      await reader.destroy();
      if (writer !== reader) await writer.destroy();
      await upkeep?.destroy();
    },
  };
}

/** Turns a driver's error into ours. What it says about rows or values is only in `cause`. */
export function toStoreError(error: unknown, traits: DialectTraits): unknown {
  if (isMidfoldError(error)) return error;
  const options = { cause: error, details: { engine: traits.engine } };
  switch (traits.troubleOf(error)) {
    case "transient":
    case "unavailable":
      return new MidfoldError("STORE_UNAVAILABLE", "The database did not answer. Try again.", options);
    case "full":
      return new MidfoldError("STORE_FULL", "The disk of the database is full. Free some space.", options);
    case "corrupt":
      return new MidfoldError("STORE_CORRUPT", "The database is damaged. Restore the latest backup.", options);
    case "unsafe":
      return new MidfoldError("STORE_UNSAFE", "The database cannot be written to. Check its permissions.", options);
    case "duplicate":
      return new MidfoldError("VERSION_CONFLICT", "There is a record with this id already.", options);
    default:
      return error;
  }
}
