import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MidfoldError } from "@midfold/core";
import type { Database } from "../sql/database.ts";
import { storedVersion } from "../sql/migrate.ts";
import { schemaVersion } from "../sql/migrations.ts";
import { openSqlite } from "../sql/sqlite/open-sqlite.ts";
import { sqlitePath } from "../sql/sqlite/sqlite-path.ts";
import { vacuumInto } from "../sql/sqlite/vacuum-into.ts";
import { checkStore } from "./check-store.ts";

/** What was found about a database without opening it for work. */
export interface StoreFindings {
  readonly engine: string;
  /** 0 where there is no database yet, or nothing of ours in it. */
  readonly version: number;
  /** The version this program brings it to at the next start. */
  readonly wanted: number;
  /** In words; only checked when the version is this program's own. */
  readonly problems: readonly string[];
}

/** Inspects a database without changing it: nothing is created, migrated or switched to another mode. */
export async function examineStore(url: string): Promise<StoreFindings> {
  if (/^postgres(ql)?:/.test(url)) {
    const { openPostgres } = await import("../sql/postgres/open-postgres.ts");
    return examine(openPostgres({ url, maxConnections: 1, onLostConnection: () => undefined }));
  }
  const path = sqlitePath(url);
  if (path === undefined) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `A database's address starts with sqlite: or postgres:, not ${url.slice(0, 12)}.`,
    );
  }
  if (!existsSync(path)) return { engine: "sqlite", version: 0, wanted: schemaVersion, problems: [] };
  // Opening a file for work switches it to write-ahead logging, so a copy is opened instead.
  const folder = await mkdtemp(join(tmpdir(), "midfold-examine-"));
  try {
    const copy = join(folder, "copy.db");
    // Without a log beside it nobody has it open and the file is complete; reading it directly would create a log.
    if (existsSync(`${path}-wal`)) await vacuumInto(path, copy);
    else await copyFile(path, copy);
    return await examine(await openSqlite(copy));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function examine(database: Database): Promise<StoreFindings> {
  try {
    const version = await storedVersion(database);
    const problems = version === schemaVersion ? await checkStore(database) : [];
    return { engine: database.traits.engine, version, wanted: schemaVersion, problems };
  } finally {
    await database.close();
  }
}
