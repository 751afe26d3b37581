import type { Kysely, RawBuilder } from "kysely";
import type { Phrase } from "../text/search-query.ts";
import type { Schema } from "./schema.ts";

/** What kind of trouble a driver's error is. */
export type TroubleKind = "transient" | "unavailable" | "full" | "corrupt" | "unsafe" | "duplicate";

/**
 * Where an entry belongs, or where to search: names made by `sql/search-entries.ts`, which cannot occur in any text.
 */
export interface SearchPlace {
  readonly owner: string;
  readonly session: string | undefined;
}

/** Everything in which the two databases differ. Queries are written once and use these. */
export interface DialectTraits {
  /** For people, logs and metrics. */
  readonly engine: string;
  /** The clock of the database, milliseconds since 1970. */
  readonly now: RawBuilder<number>;
  readonly version: RawBuilder<string>;
  /** Column definition of an integer primary key the database counts up. */
  readonly countedKey: string;
  /** Statements that make the search table `message_search (rowid, scope, terms)`. */
  readonly createSearch: readonly string[];
  /** What is stored for one entry; `matches` with the same place finds it. */
  searchEntry(place: SearchPlace, terms: readonly string[]): { scope: string; terms: RawBuilder<string> };
  /** Whether an entry of `message_search` lies in the place and holds all phrases. */
  matches(place: SearchPlace, phrases: readonly Phrase[]): RawBuilder<boolean>;
  /** Waits until no other process migrates, and keeps others out until the transaction ends. */
  lockMigrations(transaction: Kysely<Schema>): Promise<void>;
  /** One consistent view for a long read. */
  readonly readIsolation: "repeatable read" | undefined;
  /** Queries that let the database check itself; every row other than `ok` is a problem. */
  readonly integrityChecks: readonly string[];
  troubleOf(error: unknown): TroubleKind | undefined;
}
