import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from "kysely";
import pg from "pg";
import type { Phrase } from "../../text/search-query.ts";
import { createDatabase, type Database } from "../database.ts";
import type { DialectTraits, TroubleKind } from "../dialect-traits.ts";
import type { Schema } from "../schema.ts";
import { StorablePostgresCompiler } from "../storable-parameters.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly onLostConnection: (error: Error) => void;
  /** How long a statement, and the wait for a connection, may take before the caller is told that nothing answers. */
  readonly patienceMs?: number | undefined;
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
      connectionTimeoutMillis: options.patienceMs ?? 5_000,
      statement_timeout: statementMs,
      // A server that hangs cannot enforce its own time limit, so the client has one too.
      query_timeout: statementMs + 500,
      keepAlive: true,
      application_name: "midfold",
      types: { getTypeParser },
    });
    pool.on("error", onLost);
    // The pool handles errors of idle connections only: an error of one in use would end the process.
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
 * A statement that timed out may still be running in a transaction that nobody ends, so its connection is not used
 * again.
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

/** Any number that nobody else uses as a lock on this database. */
const migrationLock = 0x6d69_6466;

export const postgresTraits: DialectTraits = {
  engine: "postgresql",
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  version: sql<string>`current_setting('server_version')`,
  countedKey: "bigint generated always as identity primary key",
  createSearch: [
    "create table message_search (rowid bigint primary key, scope text not null, terms tsvector not null)",
    // Without fastupdate: with it, every search would read through the list of entries that are not sorted in yet.
    "create index message_search_by_terms on message_search using gin (terms) with (fastupdate = off)",
    // Indexed apart: as a term of the first index, a tenant with most of the messages would make every search walk
    // through all of them.
    "create index message_search_by_scope on message_search (scope, rowid)",
  ],
  searchEntry: ({ owner, session }, terms) => ({
    scope: owner,
    terms: sql<string>`cast(${vectorText(session, terms)} as tsvector)`,
  }),
  matches: ({ owner, session }, phrases) =>
    sql<boolean>`scope = ${owner} and terms @@ cast(${queryText(session, phrases)} as tsquery)`,
  lockMigrations: async (transaction) => {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
  },
  readIsolation: "repeatable read",
  integrityChecks: [],
  troubleOf,
};

/** Terms and scopes are letters, digits and underscores, so nothing in them can end a quotation. */
export function vectorText(session: string | undefined, terms: readonly string[]): string {
  const lexemes = session === undefined ? [] : [`'${session}'`];
  for (let index = 0; index < terms.length; index++) lexemes.push(`'${terms[index]}':${index + 1}`);
  return lexemes.join(" ");
}

function queryText(session: string | undefined, phrases: readonly Phrase[]): string {
  const texts = phrases.map(({ terms, open }) => {
    const quoted = terms.map((term) => `'${term}'`);
    return `(${quoted.join(" <-> ")}${open ? ":*" : ""})`;
  });
  return (session === undefined ? texts : [`'${session}'`, ...texts]).join(" & ");
}

const kinds: Readonly<Record<string, TroubleKind>> = {
  "40001": "transient", // serialization failure
  "40P01": "transient", // deadlock
  "23505": "duplicate",
  "53100": "full",
  "53200": "unavailable", // out of memory
  "53300": "unavailable", // too many connections
  "25006": "unavailable", // read-only: a failover is under way
  "57014": "unavailable", // statement timeout
  XX001: "corrupt",
  XX002: "corrupt",
};
const unreachable = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "ENOENT"]);
const spokenTroubles = /^(Connection terminated|timeout exceeded|Client has encountered|Query read timeout)/;

function troubleOf(error: unknown): TroubleKind | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as Error & { code?: unknown }).code;
  if (typeof code === "string") {
    if (code.startsWith("08") || code.startsWith("57P") || unreachable.has(code)) return "unavailable";
    return kinds[code];
  }
  return spokenTroubles.test(error.message) ? "unavailable" : undefined;
}
