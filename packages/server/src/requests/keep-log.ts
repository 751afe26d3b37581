import type { Store } from "@midfold/store";
import type { RequestLog } from "./request-log.ts";
import { recallRecord } from "./stored-facts.ts";

export interface KeepLogOptions {
  readonly store: Store;
  readonly requests: RequestLog;
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
  const recall = async () =>
    requests.recall(
      (await store.requests.newest(options.shown)).map((logged) => recallRecord(logged, options.capture)),
    );
  const prune = () => store.requests.prune({ olderThan: now() - maxAge, keep }).then(() => undefined);
  recall().then(prune).catch(onError);
  const timer = setInterval(() => prune().catch(onError), everyMs).unref();
  return () => clearInterval(timer);
}
