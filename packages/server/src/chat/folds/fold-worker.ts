/** Runs in a worker thread: folds of long histories, with the built-in summarizer. */
import { createExtractiveSummarizer } from "@midfold/core/summaries";
import { serveTasks } from "../../threads/serve-tasks.ts";
import { type CountingRule, counterOf } from "../../threads/tasks.ts";
import type { Ask, Tasks } from "../../threads/thread-pool.ts";
import { type FoldedHistory, foldHistory, type HistoryFold } from "./fold-history.ts";

const tasks = {
  fold({ history, counting }: HistoryTask, ask: Ask): Promise<FoldedHistory> {
    const counter = counterOf(counting);
    const onProgress = (progress: unknown) => void ask("progress", progress);
    return foldHistory(history, { counter, summarizer: createExtractiveSummarizer(counter), onProgress });
  },
} satisfies Tasks;
export type HistoryTasks = typeof tasks;

export interface HistoryTask {
  readonly history: HistoryFold;
  readonly counting: CountingRule;
}

serveTasks(tasks);
