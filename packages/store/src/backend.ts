import type { EventBus } from "./coordination/event-bus.ts";
import type { Jobs } from "./coordination/jobs.ts";
import type { Database } from "./sql/database.ts";

/** A database and what its engine adds to it. */
export interface Backend {
  readonly database: Database;
  readonly events: EventBus;
  /** Encrypts what owners entered; undefined where none was given. */
  readonly secret: string | undefined;
  /** Encrypts what can be made again. It may change, and what it encrypted is lost then. */
  readonly derivedSecret?: string;
  readonly jobs: Jobs & { close(): Promise<void> };
  backup(to: string): Promise<void>;
  /** Called before the schema of a database with data is changed, to keep a copy of the old state. */
  beforeMigration?(fromVersion: number): Promise<void>;
}
