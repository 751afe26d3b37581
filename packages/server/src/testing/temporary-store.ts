import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@midfold/store";
import { onTestFinished } from "vitest";

/** A new SQLite store for the running test; closed and deleted when the test and its `afterEach` hooks are over. */
export async function temporaryStore(options: { readonly captureContent?: boolean } = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "midfold-"));
  const store = await openStore({ url: `sqlite:${join(folder, "test.db")}`, ...options });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}
