import type { EventBus } from "./coordination/event-bus.ts";
import type { Jobs } from "./coordination/jobs.ts";
import type { Database } from "./sql/database.ts";

/** A database with what goes with it on that engine. */
export interface Backend {
  readonly database: Database;
  readonly events: EventBus;
  /** What to encrypt with, where there is one. */
  readonly secret: string | undefined;
  /** Not in the database either, but it may change: what it encrypts is lost then. */
  readonly derivedSecret?: string;
  readonly jobs: Jobs & { close(): Promise<void> };
  backup(to: string): Promise<void>;
  /** Called before the schema of a database with data in it is changed, so that one can go back. */
  beforeMigration?(fromVersion: number): Promise<void>;
}
