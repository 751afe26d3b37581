import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { MidfoldError } from "@midfold/core";
import { toStoreError } from "../database.ts";
import { SqliteThread } from "./sqlite-thread.ts";
import { sqliteTraits } from "./sqlite-traits.ts";

/** A complete, compact copy of the database as of now, made beside running readers and writers, and checked. */
export async function vacuumInto(path: string, to: string): Promise<void> {
  const target = resolve(to);
  if (existsSync(target)) {
    throw new MidfoldError("VALIDATION_ERROR", `${to} is there already. Choose a name that is free.`);
  }
  await withThread(path, (thread) => thread.run("vacuum into ?", [target]));
  await checkFile(target);
}

/** Throws `STORE_CORRUPT` unless the file is a sound database. */
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
