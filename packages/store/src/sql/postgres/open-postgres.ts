import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { createDatabase, type Database } from "../database.ts";
import type { Schema } from "../schema.ts";
import { StorablePostgresCompiler } from "../storable-parameters.ts";
import { postgresTraits } from "./postgres-traits.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly onLostConnection: (error: Error) => void;
}

export function openPostgres({ url, maxConnections, onLostConnection }: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 60_000,
    keepAlive: true,
    application_name: "midfold",
    types: { getTypeParser },
  });
  let closing = false;
  pool.on("error", (error) => {
    if (!closing) onLostConnection(error);
  });
  const db = new Kysely<Schema>({ dialect: new StorablePostgresDialect({ pool }) });
  const database = createDatabase({ reader: db, writer: db, traits: postgresTraits });
  return {
    ...database,
    async close() {
      closing = true;
      await database.close();
    },
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
