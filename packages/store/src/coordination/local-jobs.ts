import { randomUUID } from "node:crypto";
import type { StoreProblem } from "../store-problem.ts";
import type { Job, JobOptions, Jobs } from "./jobs.ts";

const usualRetries = 2;

export interface LocalJobs extends Jobs {
  close(): Promise<void>;
}

interface Queue {
  readonly waiting: Entry[];
  readonly keys: Set<string>;
  handler?: (job: Job<never>) => Promise<void>;
  concurrency: number;
  running: number;
}

interface Entry {
  readonly id: string;
  readonly payload: unknown;
  readonly options: JobOptions;
  attempt: number;
}

/**
 * Jobs within one process, for SQLite, which only one process uses. They are lost when it ends; whoever wants a
 * background fold asks for it again with the next request.
 */
export function createLocalJobs(onProblem: (problem: StoreProblem) => void): LocalJobs {
  const queues = new Map<string, Queue>();
  const stopped = new AbortController();
  const inFlight = new Set<Promise<void>>();

  const queueOf = (name: string): Queue => {
    const queue = queues.get(name) ?? { waiting: [], keys: new Set(), concurrency: 1, running: 0 };
    queues.set(name, queue);
    return queue;
  };

  const pump = (name: string) => {
    const queue = queueOf(name);
    while (queue.handler !== undefined && queue.running < queue.concurrency && !stopped.signal.aborted) {
      const entry = queue.waiting.shift();
      if (entry === undefined) return;
      queue.running++;
      const work = run(name, queue, entry).finally(() => {
        queue.running--;
        inFlight.delete(work);
        pump(name);
      });
      inFlight.add(work);
    }
  };

  const later = (name: string, entry: Entry, delayMs: number) => {
    const timer = setTimeout(() => {
      queueOf(name).waiting.push(entry);
      pump(name);
    }, delayMs);
    timer.unref();
    stopped.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  };

  const run = async (name: string, queue: Queue, entry: Entry) => {
    const { id, payload, options } = entry;
    try {
      await queue.handler?.({ id, payload: payload as never, signal: stopped.signal });
    } catch (error) {
      if (entry.attempt < (options.retries ?? usualRetries) && !stopped.signal.aborted) {
        entry.attempt++;
        return later(name, entry, 2 ** entry.attempt * 250);
      }
      const message = error instanceof Error ? error.message : String(error);
      onProblem({ about: "jobs", message: `Job ${name} failed for good: ${message}`, cause: error });
    }
    if (options.singletonKey !== undefined) queue.keys.delete(options.singletonKey);
  };

  return {
    async enqueue(name, payload, options = {}) {
      const queue = queueOf(name);
      const { singletonKey } = options;
      if (singletonKey !== undefined) {
        if (queue.keys.has(singletonKey)) return undefined;
        queue.keys.add(singletonKey);
      }
      const entry = { id: randomUUID(), payload: structuredClone(payload), options, attempt: 0 };
      queue.waiting.push(entry);
      pump(name);
      return entry.id;
    },
    async work(name, handler, { concurrency = 1 } = {}) {
      const queue = queueOf(name);
      queue.handler = handler as (job: Job<never>) => Promise<void>;
      queue.concurrency = concurrency;
      pump(name);
    },
    async close() {
      stopped.abort();
      await Promise.allSettled(inFlight);
    },
  };
}
