import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import pg from "pg";
import { createDatabase, type Database } from "../database.ts";
import type { Schema } from "../schema.ts";
import { StorablePostgresCompiler } from "../storable-parameters.ts";
import { postgresTraits } from "./postgres-traits.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly onLostConnection: (error: Error) => void;
  /** How long a statement, and the wait for a connection, may take before the caller is told that nothing answers. */
  readonly patienceMs?: number;
}

/** Copies, checks and migrations of a large database take their time. */
const upkeepMs = 1_800_000;

export function openPostgres(options: PostgresOptions): Database {
  const { url, maxConnections, patienceMs = 8_000 } = options;
  let closing = false;
  const onLost = (error: Error) => {
    if (!closing) options.onLostConnection(error);
  };
  const open = (max: number, statementMs: number) => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      connectionTimeoutMillis: Math.min(patienceMs, 5_000),
      statement_timeout: statementMs,
      // A server that hangs does not keep its own time.
      query_timeout: statementMs + 500,
      keepAlive: true,
      application_name: "midfold",
      types: { getTypeParser },
    });
    pool.on("error", onLost);
    // The pool listens to idle connections only: the loss of one in use would end the process.
    pool.on("connect", (client) => client.on("error", onLost));
    return new Kysely<Schema>({ dialect: new StorablePostgresDialect({ pool: discardBroken(pool) }) });
  };
  const db = open(maxConnections, patienceMs);
  const upkeep = open(2, upkeepMs);
  const database = createDatabase({ reader: db, writer: db, upkeep, traits: postgresTraits });
  return {
    ...database,
    async close() {
      closing = true;
      await database.close();
    },
  };
}

/**
 * A statement that timed out may still run, inside a transaction that nobody will end: its connection is not used again.
 */
function discardBroken(pool: pg.Pool): PostgresPool {
  return {
    connect: async () => {
      const client = await pool.connect();
      let broken: Error | undefined;
      return {
        query: async (sql: string, parameters: readonly unknown[]) => {
          if (broken !== undefined) throw broken;
          try {
            return await client.query(sql, [...parameters]);
          } catch (error) {
            if (postgresTraits.troubleOf(error) === "unavailable") broken = error as Error;
            throw error;
          }
        },
        release: () => client.release(broken),
      } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

class StorablePostgresDialect extends PostgresDialect {
  override createQueryCompiler(): StorablePostgresCompiler {
    return new StorablePostgresCompiler();
  }
}

const int8 = pg.types.builtins.INT8;

/** Counts, sequences and times stay far below 2^53. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  return oid === int8 ? Number : (pg.types.getTypeParser(oid as never, format as never) as (value: string) => unknown);
}
