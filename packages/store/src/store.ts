import type { ContextStates } from "@midfold/core/compat";
import type { Events } from "./coordination/events.ts";
import type { Jobs } from "./coordination/jobs.ts";
import type { Leases } from "./coordination/leases.ts";
import type { ClientKey, Keys } from "./gateway/keys.ts";
import type { Calibrations, Folds, Limits } from "./gateway/learned.ts";
import type { Providers } from "./gateway/providers.ts";
import type { RequestLog } from "./gateway/request-log.ts";
import type { SharedRequestLog } from "./gateway/shared-request-log.ts";
import type { ContextReader } from "./sessions/context.ts";
import type { Messages } from "./sessions/messages.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { Settings } from "./sessions/settings.ts";
import type { Snapshots } from "./sessions/snapshots.ts";
import type { StoreProblem } from "./store-problem.ts";

/**
 * Everything Midfold stores. A tenant's data can only be reached through `of(owner)`; the one exception is the request
 * log, which holds no message content. An id that belongs to another owner behaves exactly like one that does not
 * exist. Errors: `NOT_FOUND`, `VERSION_CONFLICT`, `VALIDATION_ERROR`, and for the database itself `STORE_UNAVAILABLE`
 * (try again), `STORE_FULL`, `STORE_CORRUPT`. All text is normalised when stored: U+0000 and lone surrogates become
 * U+FFFD. All times are milliseconds since 1970 by the clock of the database; order is by sequence number, never by
 * time.
 */
export interface Store {
  of(owner: string): OwnerStore;
  /**
   * The key with this hash, whoever owns it, unless revoked. The only look-up without an owner: knowing the hash proves
   * the right.
   */
  authenticate(keyHash: string): Promise<ClientKey | undefined>;
  /** The request log of all owners, for administrators only. */
  readonly requests: SharedRequestLog;
  /** Work that outlives the request that asked for it. */
  readonly jobs: Jobs;
  /**
   * Leases of all owners whose names begin with the prefix and which were not released: their holders still work, or
   * died.
   */
  heldLeases(prefix: string): Promise<readonly { readonly owner: string; readonly name: string }[]>;
  /** A cheap check for readiness; throws `STORE_UNAVAILABLE`. */
  ping(): Promise<StoreStatus>;
  /** Every inconsistency of the stored data, in words; empty when there is none. Reads the whole database. */
  check(): Promise<readonly string[]>;
  /** A consistent copy while others write: a database file on SQLite, JSON lines on PostgreSQL. */
  backup(to: string): Promise<void>;
  /** Every row as JSON lines, which `importFrom` of either database reads. */
  exportTo(path: string): Promise<TransferReport>;
  /** Fills an empty database from a file of `exportTo`. Refuses a database that holds data. */
  importFrom(path: string): Promise<TransferReport>;
  /** Writes what is buffered, stops jobs and listeners, closes every connection. Later calls fail. */
  close(): Promise<void>;
}

/** One tenant's part of the store. */
export interface OwnerStore {
  readonly owner: string;
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly context: ContextReader;
  readonly snapshots: Snapshots;
  readonly settings: Settings;
  readonly contextStates: ContextStates;
  readonly folds: Folds;
  readonly limits: Limits;
  readonly calibrations: Calibrations;
  readonly requests: RequestLog;
  readonly keys: Keys;
  readonly providers: Providers;
  readonly leases: Leases;
  readonly events: Events;
}

export interface StoreStatus {
  /** For people, logs and metrics. Code must not branch on it. */
  readonly engine: string;
  readonly version: string;
  readonly schemaVersion: number;
}

export interface TransferReport {
  readonly tables: Readonly<Record<string, number>>;
  readonly rows: number;
}

export interface StoreOptions {
  /** `sqlite:path/to/file.db`, or `postgres://user@host/database`. */
  readonly url: string;
  /** Keep message content of logged requests. Off by default, since a log of prompts is a risk. */
  readonly captureContent?: boolean;
  /**
   * The secret that encrypts what owners enter. Absent: on SQLite it is read from a file beside the database, created
   * if missing; on PostgreSQL there is none, and such data is refused.
   */
  readonly secret?: string | undefined;
  /** Connections to use at most, where the database is shared; 10 by default. */
  readonly maxConnections?: number;
  /**
   * Milliseconds that a statement, or the wait for a connection, may take on PostgreSQL before the caller is told that the
   * database does not answer; 8,000 and 5,000 by default.
   */
  readonly patienceMs?: number;
  /** Called with errors of background work: a dropped log entry, a lost listener, a failed job. */
  readonly onProblem?: (problem: StoreProblem) => void;
}
