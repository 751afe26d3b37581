import type { Database } from "./sql/database.ts";

/** What every query of a tenant needs: the database and the owner. */
export interface OwnerScope {
  readonly database: Database;
  readonly owner: string;
}
