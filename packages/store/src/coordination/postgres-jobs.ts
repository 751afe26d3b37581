import { PgBoss } from "pg-boss";
import { createId } from "../create-id.ts";
import type { StoreProblem } from "../store-problem.ts";
import type { Jobs } from "./jobs.ts";

export interface PostgresJobs extends Jobs {
  close(): Promise<void>;
}

const heartbeatSeconds = 20;
const usualRetries = 2;
/** Passed to `pg`, which would wait for ever by default. */
const patience = { connectionTimeoutMillis: 5_000, query_timeout: 20_000 };

/** Jobs on pg-boss, in its own schema of the same database. Started by the first call: a store without jobs costs nothing. */
export function createPostgresJobs(url: string, onProblem: (problem: StoreProblem) => void): PostgresJobs {
  let started: Promise<PgBoss> | undefined;
  const queues = new Map<string, Promise<void>>();

  const start = async () => {
    const boss = new PgBoss({
      connectionString: url,
      application_name: "midfold-jobs",
      max: 2,
      ...patience,
      useListenNotify: true,
      // Midfold has no cron jobs; the rest of pg-boss's maintenance runs.
      schedule: false,
      monitorIntervalSeconds: 30,
    });
    boss.on("error", (cause) => onProblem({ about: "jobs", message: "pg-boss reports an error.", cause }));
    return boss.start();
  };

  const open = async (name: string): Promise<PgBoss> => {
    started ??= start().catch((error) => {
      started = undefined;
      throw error;
    });
    const boss = await started;
    const queue =
      queues.get(name) ??
      createQueue(boss, name).catch((error) => {
        queues.delete(name);
        throw error;
      });
    queues.set(name, queue);
    await queue;
    return boss;
  };

  return {
    async enqueue(name, payload, { singletonKey, retries = usualRetries } = {}) {
      const boss = await open(name);
      const id = await boss.send(name, { payload } as object, {
        // The queue allows one job per key, so a job without a key gets one that nobody else has.
        singletonKey: singletonKey ?? createId(),
        retryLimit: retries,
        retryDelay: 1,
        retryBackoff: true,
      });
      return id ?? undefined;
    },

    async work(name, handler, { concurrency = 1 } = {}) {
      const boss = await open(name);
      // A notification wakes workers for new jobs; retries are found by polling.
      const pace = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 };
      await boss.work(name, { localConcurrency: concurrency, ...pace }, async (jobs) => {
        for (const job of jobs) {
          const { payload } = job.data as { readonly payload: never };
          await handler({ id: job.id, payload, signal: job.signal });
        }
      });
    },

    async close() {
      const boss = await started?.catch(() => undefined);
      await boss?.stop({ graceful: true, timeout: 10_000 });
    },
  };
}

const deadLetterOf = (name: string) => `${name}.failed`;

async function createQueue(boss: PgBoss, name: string): Promise<void> {
  await boss.createQueue(deadLetterOf(name), { retentionSeconds: 30 * 24 * 3600 });
  // At most one job per key waits or runs.
  await boss.createQueue(name, {
    policy: "exclusive",
    deadLetter: deadLetterOf(name),
    heartbeatSeconds,
    notify: true,
  });
}
