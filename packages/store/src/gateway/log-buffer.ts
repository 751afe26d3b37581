import type { Database } from "../sql/database.ts";
import { splitRows } from "../sql/split-rows.ts";
import type { StoreProblem } from "../store-problem.ts";
import { toStorableJson } from "../text/storable.ts";
import { createBatchWriter } from "./batch-writer.ts";
import type { RequestEntry } from "./request-log.ts";
import { toRequestRow } from "./request-row.ts";

/** Beyond this the database is not keeping up, and requests matter more than their log. */
const maxWaiting = 20_000;

interface Waiting {
  readonly owner: string;
  readonly at: number;
  readonly entry: RequestEntry;
}

/** Collects log entries of all owners and writes them together, behind the requests. */
export interface LogBuffer {
  add(owner: string, entry: RequestEntry): boolean;
  flush(): Promise<void>;
}

export function createLogBuffer(options: {
  readonly database: Database;
  readonly captureContent: boolean;
  readonly onProblem: (problem: StoreProblem) => void;
}): LogBuffer {
  const { database, captureContent, onProblem } = options;
  const insert = (entries: readonly Waiting[]) =>
    database.write(async (db) => {
      for (const group of splitRows(entries)) {
        await db
          .insertInto("request_log")
          .values(group.map(({ owner, at, entry }) => toRequestRow(owner, at, entry, keepsContent(entry))))
          .onConflict((conflict) => conflict.columns(["owner", "id"]).doNothing())
          .execute();
      }
      const contents = entries.filter(({ entry }) => keepsContent(entry));
      if (contents.length === 0) return;
      await db
        .insertInto("request_contents")
        .values(
          contents.map(({ owner, entry }) => ({
            owner,
            request_id: entry.id,
            before_json: toStorableJson(entry.content?.before ?? null),
            after_json: toStorableJson(entry.content?.after ?? null),
            beside_json: entry.content?.beside === undefined ? null : toStorableJson(entry.content.beside),
          })),
        )
        .onConflict((conflict) => conflict.columns(["owner", "request_id"]).doNothing())
        .execute();
    });

  const keepsContent = (entry: RequestEntry) => captureContent && entry.content !== undefined;

  const writer = createBatchWriter<Waiting>({
    flushAfterMs: 100,
    batch: 200,
    keepsAlive: false,
    async write(entries) {
      try {
        await insert(entries);
      } catch (cause) {
        onProblem({ about: "request-log", message: `${entries.length} log entries could not be written.`, cause });
      }
    },
  });

  return {
    add(owner, entry) {
      if (writer.waiting() >= maxWaiting) {
        onProblem({ about: "request-log", message: "The log cannot keep up; an entry was dropped." });
        return false;
      }
      // The clock of this process: an entry is about something that happened here, and order is not at stake.
      const { content, ...rest } = entry;
      writer.add({ owner, at: Date.now(), entry: captureContent && content !== undefined ? entry : rest });
      return true;
    },
    flush: writer.flush,
  };
}
