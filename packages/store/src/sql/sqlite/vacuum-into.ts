import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { MidfoldError } from "@midfold/core";
import { toStoreError } from "../database.ts";
import { SqliteThread } from "./sqlite-thread.ts";
import { sqliteTraits } from "./sqlite-traits.ts";

/** A complete, compact copy of the database as of now, made while others read and write, and checked. */
export async function vacuumInto(path: string, to: string): Promise<void> {
  const target = resolve(to);
  try {
    // Created empty and readable by its owner only, before any data is written to it.
    await writeFile(target, "", { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") {
      throw new MidfoldError("VALIDATION_ERROR", `${to} is there already. Choose a name that is free.`);
    }
    throw new MidfoldError("STORE_UNSAFE", `${to} cannot be written. Choose another place.`, { cause });
  }
  try {
    await withThread(path, (thread) => thread.run("vacuum into ?", [target]));
    await checkFile(target);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

/**
 * The copy kept before a migration. If two programs make it at once, the first one's is kept: it has the old version.
 */
export async function copyBeforeMigration(path: string, fromVersion: number): Promise<void> {
  const copy = `${resolve(path)}.version-${fromVersion}`;
  if (existsSync(copy)) return;
  const own = `${copy}.${randomUUID()}`;
  await vacuumInto(path, own);
  try {
    await link(own, copy);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** Throws `STORE_CORRUPT` unless the file is an intact database. */
export async function checkFile(path: string): Promise<void> {
  const { rows } = await withThread(path, (thread) => thread.run("pragma quick_check"));
  const answer = Object.values(rows[0] as object)[0];
  if (answer !== "ok") throw new MidfoldError("STORE_CORRUPT", `The file ${path} failed its check: ${answer}`);
}

async function withThread<TResult>(path: string, work: (thread: SqliteThread) => Promise<TResult>): Promise<TResult> {
  const thread = new SqliteThread({ path: resolve(path), readOnly: true, pragmas: ["busy_timeout = 10000"] });
  try {
    return await work(thread);
  } catch (error) {
    throw toStoreError(error, sqliteTraits);
  } finally {
    await thread.close();
  }
}
