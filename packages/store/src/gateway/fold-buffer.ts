import type { Seal } from "../seal.ts";
import type { Database } from "../sql/database.ts";
import { newRows } from "../sql/new-rows.ts";
import { toStorableJson, toStorableText } from "../text/storable.ts";
import { createBatchWriter } from "./batch-writer.ts";

interface NewFold {
  readonly prefix: string;
  readonly covered: number;
  readonly record: unknown;
}

interface Waiting extends NewFold {
  readonly owner: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Collects records of all owners and writes them together, after the requests were answered. */
export interface FoldBuffer {
  /** Resolves when it is stored. */
  add(owner: string, fold: NewFold): Promise<void>;
  flush(): Promise<void>;
}

export function createFoldBuffer({ database, seal }: { readonly database: Database; readonly seal: Seal }): FoldBuffer {
  const { now } = database.traits;
  const insert = (folds: readonly Waiting[]) => {
    const rows = folds.map(({ owner, prefix, covered, record }) => ({
      owner,
      prefix,
      covered,
      record_json: seal.close(toStorableJson(record), foldPlace(owner, prefix)),
      created_at: now,
      used_at: now,
    }));
    return database.insertNew([newRows("fold_records", rows, ["owner", "prefix"])]);
  };
  const writer = createBatchWriter<Waiting>({
    flushAfterMs: 50,
    batch: 100,
    keepsAlive: true,
    async write(folds) {
      try {
        await insert(folds);
        for (const { resolve } of folds) resolve();
      } catch (error) {
        for (const { reject } of folds) reject(error);
      }
    },
  });
  return {
    add: (owner, fold) => new Promise((resolve, reject) => writer.add({ owner, ...fold, resolve, reject })),
    flush: writer.flush,
  };
}

/** Owner and prefix are part of the encryption, so a record copied to another row cannot be read there. */
export function foldPlace(owner: string, prefix: string): readonly string[] {
  return [owner, "fold", toStorableText(prefix)];
}
