import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { MidfoldError } from "@midfold/core";
import { openStore } from "./open-store.ts";
import { sqlitePath } from "./sql/sqlite/sqlite-path.ts";
import { checkFile } from "./sql/sqlite/vacuum-into.ts";
import type { StoreOptions } from "./store.ts";

/**
 * Makes a new database at `url` from a backup of either kind, so that a SQLite backup also moves to PostgreSQL. Refuses a
 * database that holds data already.
 */
export async function restoreStore(options: { readonly from: string } & StoreOptions): Promise<void> {
  const { from, ...target } = options;
  if (await isJsonLines(from)) await importInto(target, from);
  else if (sqlitePath(target.url) !== undefined) await restoreFile(from, target.url);
  else await convert(from, target);
}

async function importInto(target: StoreOptions, path: string): Promise<void> {
  const file = sqlitePath(target.url);
  const made =
    file === undefined
      ? []
      : [file, `${file}-wal`, `${file}-shm`, `${file}.secret`].filter((name) => !existsSync(name));
  try {
    const store = await openStore(target);
    await store.importFrom(path).finally(() => store.close());
  } catch (error) {
    // An empty database left behind would look like a restored one.
    for (const name of made) await rm(name, { force: true });
    throw error;
  }
}

/** By way of JSON lines, from a copy: opening a backup may migrate it, and the backup itself must not change. */
async function convert(from: string, target: StoreOptions): Promise<void> {
  await checkFile(from);
  const folder = await mkdtemp(join(tmpdir(), "midfold-restore-"));
  try {
    const copy = join(folder, "copy.db");
    const lines = join(folder, "rows.jsonl");
    await copyFile(from, copy);
    const store = await openStore({ url: `sqlite:${copy}` });
    await store.exportTo(lines).finally(() => store.close());
    await importInto(target, lines);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isJsonLines(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 0);
    return buffer.toString("latin1") === "{";
  } finally {
    await file.close();
  }
}

/** Puts a backup file where the database is to be. The database appears whole or not at all. */
async function restoreFile(from: string, url: string): Promise<void> {
  const path = sqlitePath(url);
  if (path === undefined) {
    throw new MidfoldError("VALIDATION_ERROR", `${from} is a SQLite file, and the target is not SQLite.`);
  }
  const target = resolve(path);
  if (existsSync(target)) {
    throw new MidfoldError("VALIDATION_ERROR", `${path} is there already. Move it away, then restore.`);
  }
  await checkFile(from);
  await mkdir(dirname(target), { recursive: true });
  const own = `${target}.restoring`;
  try {
    await copyFile(from, own);
    await chmod(own, 0o600);
    await rename(own, target);
  } finally {
    await rm(own, { force: true });
  }
}
