import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { MidfoldError } from "@midfold/core";
import type { ServerConfig } from "@midfold/server";
import { openStore, type Store } from "@midfold/store";
import type { CliContext } from "../context.ts";

/** The database's address with a relative SQLite path made absolute. Throws when no database is configured. */
export function databaseUrl(context: CliContext, config: ServerConfig): string {
  const { database } = config.server;
  if (database === "none") {
    throw new MidfoldError("INVALID_CONFIG", "No database is configured: server.database is none. Set one first.");
  }
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(database)?.[1];
  return path === undefined || isAbsolute(path) ? database : `sqlite:${join(context.cwd, path)}`;
}

/** The file of a SQLite database that does not exist yet; undefined if it exists or the database is not a file. */
export function missingDatabase(context: CliContext, config: ServerConfig): string | undefined {
  const path = /^sqlite:(.+)$/.exec(databaseUrl(context, config))?.[1];
  return path === undefined || existsSync(path) ? undefined : path;
}

/** The secret that encrypts data in the database, if the environment has one. */
export function secretOf({ env }: CliContext): string | undefined {
  return env.MIDFOLD_SECRET === "" ? undefined : env.MIDFOLD_SECRET;
}

/**
 * For commands that need existing data: in the wrong folder, `backup` would otherwise create an empty database and copy
 * it.
 */
export async function withExistingDatabase<TResult>(
  context: CliContext,
  config: ServerConfig,
  work: (store: Store) => Promise<TResult>,
): Promise<TResult> {
  const path = missingDatabase(context, config);
  if (path !== undefined) {
    throw new MidfoldError(
      "INVALID_CONFIG",
      `There is no database at ${path}. Run this in the folder where midfold serve runs, or name its configuration with --config.`,
    );
  }
  return withDatabase(context, config, work);
}

/** Opens the configured database for one command, creating it if missing, and closes it afterwards. */
export async function withDatabase<TResult>(
  context: CliContext,
  config: ServerConfig,
  work: (store: Store) => Promise<TResult>,
): Promise<TResult> {
  const store = await openStore({ url: databaseUrl(context, config), secret: secretOf(context) });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
