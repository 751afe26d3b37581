import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { MidfoldError } from "@midfold/core";
import { sqlitePath } from "./sqlite-path.ts";
import { checkFile } from "./vacuum-into.ts";

/** Puts a backup file where the database is to be. The database appears whole or not at all. */
export async function restoreFile(from: string, url: string): Promise<void> {
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
