import type { Seal } from "../seal.ts";
import type { Database } from "../sql/database.ts";
import { toStorableJson, toStorableText } from "../text/storable.ts";

/** What is added within this time is one transaction: a commit waits for the disk, however little it holds. */
const flushAfterMs = 50;
const batch = 100;

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

/** Collects records of all owners and writes them together, behind the requests. */
export interface FoldBuffer {
  /** Resolves when it is stored. */
  add(owner: string, fold: NewFold): Promise<void>;
  flush(): Promise<void>;
}

export function createFoldBuffer({ database, seal }: { readonly database: Database; readonly seal: Seal }): FoldBuffer {
  const { now } = database.traits;
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const write = (folds: readonly Waiting[]) => {
    const rows = folds.map(({ owner, prefix, covered, record }) => ({
      owner,
      prefix,
      covered,
      record_json: seal.close(toStorableJson(record), foldPlace(owner, prefix)),
      created_at: now,
      used_at: now,
    }));
    return database.write((db) =>
      db
        .insertInto("fold_records")
        .values(rows)
        .onConflict((conflict) => conflict.columns(["owner", "prefix"]).doNothing())
        .execute(),
    );
  };
  const drain = async () => {
    while (waiting.length > 0) {
      const folds = waiting.slice(0, batch);
      waiting = waiting.slice(batch);
      try {
        await write(folds);
        for (const { resolve } of folds) resolve();
      } catch (error) {
        for (const { reject } of folds) reject(error);
      }
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(drain);
    return writing;
  };
  return {
    add: (owner, fold) =>
      new Promise((resolve, reject) => {
        waiting.push({ owner, ...fold, resolve, reject });
        timer ??= setTimeout(flush, flushAfterMs);
      }),
    flush,
  };
}

/** Whose and what it is: a record that was moved elsewhere cannot be opened there. */
export function foldPlace(owner: string, prefix: string): readonly string[] {
  return [owner, "fold", toStorableText(prefix)];
}
