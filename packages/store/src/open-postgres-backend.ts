import type { Backend } from "./backend.ts";
import { createPostgresEventBus } from "./coordination/postgres-event-bus.ts";
import { createPostgresJobs } from "./coordination/postgres-jobs.ts";
import { openPostgres } from "./sql/postgres/open-postgres.ts";
import type { StoreOptions } from "./store.ts";
import type { StoreProblem } from "./store-problem.ts";
import { exportRows } from "./transfer/export-rows.ts";

export function openPostgresBackend(options: StoreOptions, onProblem: (problem: StoreProblem) => void): Backend {
  const { url } = options;
  const database = openPostgres({
    url,
    maxConnections: options.maxConnections ?? 10,
    patienceMs: options.patienceMs,
    onLostConnection: (cause) => onProblem({ about: "connection", message: "A connection was lost.", cause }),
  });
  return {
    database,
    secret: options.secret,
    // Every replica knows the password, and no copy of the database contains it.
    derivedSecret: `midfold records ${new URL(url).password}`,
    events: createPostgresEventBus({
      url,
      database,
      onProblem: (message, cause) => onProblem({ about: "events", message, cause }),
    }),
    jobs: createPostgresJobs(url, onProblem),
    backup: async (to) => {
      await exportRows(database, to);
    },
  };
}
