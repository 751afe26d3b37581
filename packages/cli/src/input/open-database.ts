import { isAbsolute, join } from "node:path";
import { MidfoldError } from "@midfold/core";
import type { ServerConfig } from "@midfold/server";
import { openStore, type Store } from "@midfold/store";
import type { CliContext } from "../context.ts";

/** The database's address with a relative SQLite path made absolute. Throws where there is to be none. */
export function databaseUrl(context: CliContext, config: ServerConfig): string {
  const { database } = config.server;
  if (database === "none") {
    throw new MidfoldError("INVALID_CONFIG", "No database is configured: server.database is none. Set one first.");
  }
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(database)?.[1];
  return path === undefined || isAbsolute(path) ? database : `sqlite:${join(context.cwd, path)}`;
}

/** What secrets in the database are encrypted with, where the environment says. */
export function secretOf({ env }: CliContext): string | undefined {
  return env.MIDFOLD_SECRET === "" ? undefined : env.MIDFOLD_SECRET;
}

/** Opens the configured database for one command and closes it afterwards. */
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
