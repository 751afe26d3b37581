import type { Database } from "./sql/database.ts";

/** What every query of a tenant starts from: where, and whose. */
export interface OwnerScope {
  readonly database: Database;
  readonly owner: string;
}
