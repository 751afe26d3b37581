import { open } from "node:fs/promises";
import { openStore } from "../open-store.ts";
import { restoreFile } from "../sql/sqlite/restore-file.ts";
import type { StoreOptions } from "../store.ts";

/** Makes a new database at `url` from a backup, of either kind. Refuses a database that is there already. */
export async function restoreStore(options: { readonly from: string } & StoreOptions): Promise<void> {
  const { from, ...target } = options;
  if (await isJsonLines(from)) {
    const store = await openStore(target);
    try {
      await store.importFrom(from);
    } finally {
      await store.close();
    }
    return;
  }
  await restoreFile(from, target.url);
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
