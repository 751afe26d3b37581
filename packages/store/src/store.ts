import type { Events } from "./coordination/events.ts";
import type { Jobs } from "./coordination/jobs.ts";
import type { Leases } from "./coordination/leases.ts";
import type { ClientKey, Keys } from "./gateway/keys.ts";
import type { Calibrations, Folds, Limits } from "./gateway/learned.ts";
import type { Providers } from "./gateway/providers.ts";
import type { RequestLog } from "./gateway/request-log.ts";
import type { SharedRequestLog } from "./gateway/shared-request-log.ts";
import type { ContextReader, ContextStates } from "./sessions/context.ts";
import type { Messages } from "./sessions/messages.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { Settings } from "./sessions/settings.ts";
import type { Snapshots } from "./sessions/snapshots.ts";
import type { StoreProblem } from "./store-problem.ts";

/**
 * Everything Midfold remembers. Data of a tenant can only be reached through `of(owner)`: but for the request log, which
 * holds no words of theirs, there is no call that reads or writes it without naming whose it is. An id that belongs to another owner behaves exactly as one that does not exist.
 *
 * Errors: `NOT_FOUND`, `VERSION_CONFLICT`, `VALIDATION_ERROR`, and for the database itself `STORE_UNAVAILABLE` (try
 * again), `STORE_FULL`, `STORE_CORRUPT`. All text is normalised on the way in: U+0000 and lone surrogates become U+FFFD.
 * All times are milliseconds since 1970 by the clock of the database; order is by sequence, never by time.
 */
export interface Store {
  of(owner: string): OwnerStore;
  /** The key with this hash, whoever owns it, unless revoked. The only look-up without an owner: the hash is the proof. */
  authenticate(keyHash: string): Promise<ClientKey | undefined>;
  /** The request log of all owners, which only whoever runs the server may see. */
  readonly requests: SharedRequestLog;
  /** Work that outlives the request that asked for it. */
  readonly jobs: Jobs;
  /** Leases of all owners that begin so and were never released: their holders are at work, or died. */
  heldLeases(prefix: string): Promise<readonly { readonly owner: string; readonly name: string }[]>;
  /** Cheap proof of life for readiness checks; throws `STORE_UNAVAILABLE`. */
  ping(): Promise<StoreStatus>;
  /** Everything that is wrong with what is stored, in words; empty when nothing is. Reads the whole database. */
  check(): Promise<readonly string[]>;
  /** A consistent copy while others write: a database file on SQLite, JSON lines on PostgreSQL. */
  backup(to: string): Promise<void>;
  /** Every row as JSON lines, readable by `importFrom` of either database. */
  exportTo(path: string): Promise<TransferReport>;
  /** Fills an empty database from `exportTo`'s file. Refuses a database that holds data. */
  importFrom(path: string): Promise<TransferReport>;
  /** Writes what is buffered, stops jobs and listeners, closes every connection. Calls after it fail. */
  close(): Promise<void>;
}

/** One tenant's share of the store. */
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
  /** Keep message content of logged requests. Off unless told: a log of prompts is a liability. */
  readonly captureContent?: boolean;
  /**
   * What secrets of owners are encrypted with. Absent: a file beside the SQLite database, made when it is not there; on
   * PostgreSQL none, and no such secret can be stored.
   */
  readonly secret?: string | undefined;
  /** Connections to use at most, where the database is shared. 10 unless told. */
  readonly maxConnections?: number;
  /** Told about what went wrong in the background: a dropped log entry, a lost listener, a failed job. */
  readonly onProblem?: (problem: StoreProblem) => void;
}
