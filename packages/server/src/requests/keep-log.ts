import type { Store } from "@midfold/store";
import type { LastAnswers } from "../learn/last-answers.ts";
import type { RequestLog } from "./request-log.ts";
import type { RequestRecord } from "./request-record.ts";
import { recallRecord } from "./stored-facts.ts";

export interface KeepLogOptions {
  readonly store: Store;
  readonly requests: RequestLog;
  /** Told when conversations of earlier runs were last answered. */
  readonly lastAnswers: LastAnswers;
  /** Whether words are kept. */
  readonly capture: boolean;
  /** Records the console can show. */
  readonly shown: number;
  /** What stays in the store: entries at most, and milliseconds. */
  readonly keep: number;
  readonly maxAge: number;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const everyMs = 3_600_000;

/**
 * Shows what earlier runs did, and keeps the stored log within its bounds, now and every hour. The returned function
 * ends it.
 */
export function keepLog(options: KeepLogOptions): () => void {
  const { store, requests, keep, maxAge, now, onError } = options;
  const recall = async () => {
    const records = (await store.requests.newest(options.shown)).map((logged) => recallRecord(logged, options.capture));
    requests.recall(records);
    for (const record of records) noteAnswer(options.lastAnswers, record);
  };
  const prune = () => store.requests.prune({ olderThan: now() - maxAge, keep }).then(() => undefined);
  recall().then(prune).catch(onError);
  const timer = setInterval(() => prune().catch(onError), everyMs).unref();
  return () => clearInterval(timer);
}

function noteAnswer(answers: LastAnswers, record: RequestRecord): void {
  const { tenant, upstream, model, conversationId, state, at, totalMs } = record;
  if (state !== "done" || upstream === undefined || conversationId === undefined) return;
  answers.note({ tenant, upstream, model }, conversationId, at + totalMs);
}
