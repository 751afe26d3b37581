/** Runs in a thread of its own. */
import type { PlaygroundRequest, PlaygroundResult } from "../../api/playground.ts";
import type { Ask, Tasks } from "../../aside/aside.ts";
import { serveTasks, summarizerBy } from "../../aside/serve-tasks.ts";
import { runPlayground } from "./run-playground.ts";

const tasks = {
  run: (request: PlaygroundRequest, ask: Ask): Promise<PlaygroundResult> =>
    runPlayground(request, { byModel: () => summarizerBy(ask), signal: new AbortController().signal }),
} satisfies Tasks;
export type PlaygroundTasks = typeof tasks;

serveTasks(tasks);
