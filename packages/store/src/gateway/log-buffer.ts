import type { Database } from "../sql/database.ts";
import { newRows } from "../sql/new-rows.ts";
import type { StoreProblem } from "../store-problem.ts";
import { toStorableJson } from "../text/storable.ts";
import { createBatchWriter } from "./batch-writer.ts";
import type { RequestEntry } from "./request-log.ts";
import { toRequestRow } from "./request-row.ts";

/**
 * With more entries than this the database is not keeping up; new ones are dropped rather than slowing requests down.
 */
const maxWaiting = 20_000;

interface Waiting {
  readonly owner: string;
  readonly at: number;
  readonly entry: RequestEntry;
}

/** Collects log entries of all owners and writes them together, after the requests were answered. */
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
    database.insertNew([
      newRows(
        "request_log",
        entries.map(({ owner, at, entry }) => toRequestRow(owner, at, entry, keepsContent(entry))),
        ["owner", "id"],
      ),
      newRows(
        "request_contents",
        entries
          .filter(({ entry }) => keepsContent(entry))
          .map(({ owner, entry }) => ({
            owner,
            request_id: entry.id,
            before_json: toStorableJson(entry.content?.before ?? null),
            after_json: toStorableJson(entry.content?.after ?? null),
            beside_json: entry.content?.beside === undefined ? null : toStorableJson(entry.content.beside),
          })),
        ["owner", "request_id"],
      ),
    ]);

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
      // By the clock of this process, which handled the request: the log need not be in exact order across replicas.
      const { content, ...rest } = entry;
      writer.add({ owner, at: Date.now(), entry: captureContent && content !== undefined ? entry : rest });
      return true;
    },
    flush: writer.flush,
  };
}
