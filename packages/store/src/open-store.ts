import { randomUUID } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import { LRUCache } from "lru-cache";
import type { Backend } from "./backend.ts";
import { createLeases } from "./coordination/create-leases.ts";
import type { EventBus } from "./coordination/event-bus.ts";
import { createLocalEventBus } from "./coordination/local-event-bus.ts";
import { createLocalJobs } from "./coordination/local-jobs.ts";
import { createFolds } from "./gateway/create-folds.ts";
import { authenticate, createKeys } from "./gateway/create-keys.ts";
import { createCalibrations, createLimits } from "./gateway/create-learned.ts";
import { createProviders } from "./gateway/create-providers.ts";
import { createRequestLog } from "./gateway/create-request-log.ts";
import { createFoldBuffer, type FoldBuffer } from "./gateway/fold-buffer.ts";
import { createLogBuffer, type LogBuffer } from "./gateway/log-buffer.ts";
import { createSharedRequestLog } from "./gateway/shared-request-log.ts";
import type { OwnerScope } from "./owner-scope.ts";
import { createSeal, type Seals, secretFile } from "./seal.ts";
import { createContextStates } from "./sessions/create-context-states.ts";
import { createMessages } from "./sessions/create-messages.ts";
import { createSessions } from "./sessions/create-sessions.ts";
import { createSettings } from "./sessions/create-settings.ts";
import { createSnapshots } from "./sessions/create-snapshots.ts";
import { readContext } from "./sessions/read-context.ts";
import { currentVersion, migrate, storedVersion } from "./sql/migrate.ts";
import { schemaVersion } from "./sql/migrations.ts";
import { openSqlite } from "./sql/sqlite/open-sqlite.ts";
import { sqlitePath } from "./sql/sqlite/sqlite-path.ts";
import { copyBeforeMigration, vacuumInto } from "./sql/sqlite/vacuum-into.ts";
import type { OwnerStore, Store, StoreOptions } from "./store.ts";
import type { StoreProblem } from "./store-problem.ts";
import { toStorableText } from "./text/storable.ts";
import { checkStore } from "./transfer/check-store.ts";
import { exportRows } from "./transfer/export-rows.ts";
import { importRows } from "./transfer/import-rows.ts";

/** Not a tenant: no key belongs to it. */
const pingOwner = "midfold/ping";

/** Opens the database, migrates it, and checks that it keeps what it acknowledges. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const onProblem = options.onProblem ?? (() => undefined);
  const backend = await openBackend(options, onProblem);
  const { database, events, jobs, backup } = backend;
  try {
    const version = await storedVersion(database);
    if (version > 0 && version < schemaVersion) await backend.beforeMigration?.(version);
    await migrate(database);
  } catch (error) {
    await Promise.allSettled([events.close(), jobs.close(), database.close()]);
    throw error;
  }
  const keys = backend.secret === undefined ? undefined : createSeal(backend.secret);
  const seals: Seals = { keys, records: keys ?? createSeal(backend.derivedSecret ?? randomUUID()) };
  const captureContent = options.captureContent ?? false;
  const log = createLogBuffer({ database, captureContent, onProblem });
  const folds = createFoldBuffer({ database, seal: seals.records });
  const owners = new LRUCache<string, OwnerStore>({ max: 1000 });

  return {
    of(owner) {
      const known = owners.get(owner);
      if (known !== undefined) return known;
      const created = createOwnerStore({ database, owner }, { events, log, folds, seals });
      // These objects hold no state: making one again costs nothing, keeping one for every tenant ever seen does.
      owners.set(owner, created);
      return created;
    },
    authenticate: (keyHash) => authenticate(database, keyHash),
    requests: createSharedRequestLog(database, captureContent),
    jobs,
    heldLeases: (prefix) =>
      database.read((db) =>
        db
          .selectFrom("leases")
          .select(["owner", "name"])
          .where("name", ">=", prefix)
          .where("name", "<", `${prefix}\uffff`)
          .where("expires_at", "<>", 0)
          .limit(1_000)
          .execute(),
      ),
    async ping() {
      const damage = database.damage();
      if (damage !== undefined) throw damage;
      // Writes something: a full, damaged or read-only database still answers reads.
      await database.write((db) =>
        db
          .insertInto("settings")
          .values({ owner: pingOwner, scope: "ping", key: "ping", value_json: "0", updated_at: database.traits.now })
          .onConflict((conflict) =>
            conflict.columns(["owner", "scope", "key"]).doUpdateSet({ updated_at: database.traits.now }),
          )
          .execute(),
      );
      return database.read(async (db) => {
        const { version } = await db.selectNoFrom(database.traits.version.as("version")).executeTakeFirstOrThrow();
        return { engine: database.traits.engine, version, schemaVersion: await currentVersion(db) };
      });
    },
    check: () => checkStore(database),
    backup,
    exportTo: (path) => exportRows(database, path),
    importFrom: (path) => importRows(database, path),
    async close() {
      await jobs.close();
      await events.close();
      await log.flush();
      await folds.flush();
      await database.close();
    },
  };
}

async function openBackend(options: StoreOptions, onProblem: (problem: StoreProblem) => void): Promise<Backend> {
  const { url } = options;
  if (/^postgres(ql)?:/.test(url)) {
    // Loaded only when used: without PostgreSQL's modules a program on SQLite starts in half the time.
    const { openPostgresBackend } = await import("./open-postgres-backend.ts");
    return openPostgresBackend(options, onProblem);
  }
  const path = sqlitePath(url);
  if (path === undefined) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `A store's URL starts with sqlite: or postgres:, not ${url.slice(0, 12)}.`,
    );
  }
  return {
    database: await openSqlite(path),
    secret: options.secret ?? secretFile(`${path}.secret`),
    events: createLocalEventBus((cause) => onProblem({ about: "events", message: "An event listener failed.", cause })),
    jobs: createLocalJobs(onProblem),
    backup: (to) => vacuumInto(path, to),
    beforeMigration: (fromVersion) => copyBeforeMigration(path, fromVersion),
  };
}

function createOwnerStore(
  scope: OwnerScope,
  {
    events,
    log,
    folds,
    seals,
  }: { readonly events: EventBus; readonly log: LogBuffer; readonly folds: FoldBuffer; readonly seals: Seals },
): OwnerStore {
  const { owner } = scope;
  if (typeof owner !== "string" || owner === "" || toStorableText(owner) !== owner) {
    throw new MidfoldError("VALIDATION_ERROR", "An owner must be a text that is not empty, without NUL characters.");
  }
  return {
    owner,
    sessions: createSessions(scope),
    messages: createMessages(scope),
    context: { read: (sessionId) => readContext(scope, sessionId) },
    snapshots: createSnapshots(scope),
    settings: createSettings(scope),
    contextStates: createContextStates(scope),
    folds: createFolds(scope, seals.records, folds),
    limits: createLimits(scope),
    calibrations: createCalibrations(scope),
    requests: createRequestLog(scope, log),
    keys: createKeys(scope),
    providers: createProviders(scope, seals.keys),
    leases: createLeases(scope),
    events: {
      publish: (event) => events.publish(owner, event),
      subscribe: (listener) => events.subscribe(owner, listener),
    },
  };
}
