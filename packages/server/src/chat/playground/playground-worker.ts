/** Runs in a worker thread. */
import type { PlaygroundRequest } from "../../api/playground.ts";
import type { ImportSession } from "../../api/transfer.ts";
import { serveTasks, summarizerBy } from "../../threads/serve-tasks.ts";
import type { Ask, Tasks } from "../../threads/thread-pool.ts";
import { type ReadFile, readFile } from "../transfer/import-export.ts";
import { runPlayground } from "./run-playground.ts";

const tasks = {
  /** Returns JSON text: writing tens of megabytes of it would block the event loop. */
  run: async (request: PlaygroundRequest, ask: Ask): Promise<Uint8Array<ArrayBuffer>> => {
    const { signal } = new AbortController();
    return Buffer.from(JSON.stringify(await runPlayground(request, { byModel: () => summarizerBy(ask), signal })));
  },
  readFile: async ({ content, format }: Pick<ImportSession, "content" | "format">): Promise<ReadFile> =>
    readFile(content, format),
} satisfies Tasks;
export type PlaygroundTasks = typeof tasks;

serveTasks(tasks);
