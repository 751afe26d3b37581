import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import type { OwnerScope } from "../owner-scope.ts";
import type { ExclusiveOutcome, Lease, Leases } from "./leases.ts";

const usualTtlMs = 60_000;
const pollMs = { first: 10, most: 250 };

/**
 * A lease is a row that is never deleted while its session lives: its token only grows, so an old holder can always be
 * told from a new one. Released means `expires_at` 0; a time in the past means that the holder died.
 */
export function createLeases({ database, owner }: OwnerScope): Leases {
  const { now } = database.traits;

  const tryAcquire = (name: string, ttlMs: number) =>
    database.write(async (db): Promise<Lease | undefined> => {
      const holder = randomUUID();
      const row = await db
        .insertInto("leases")
        .values({ owner, name, holder, token: 1, expires_at: sql`${now} + ${ttlMs}` })
        .onConflict((conflict) =>
          conflict
            .columns(["owner", "name"])
            .doUpdateSet({ holder, token: sql`leases.token + 1`, expires_at: sql`${now} + ${ttlMs}` })
            .where("leases.expires_at", "<=", now),
        )
        .returning(["token", "expires_at"])
        .executeTakeFirst();
      return row && { name, holder, token: row.token, expiresAt: row.expires_at };
    });

  const look = async (name: string) => {
    const row = await database.read((db) =>
      db
        .selectFrom("leases")
        .select(["token", "expires_at", now.as("now")])
        .where(({ and }) => and({ owner, name }))
        .executeTakeFirst(),
    );
    if (row === undefined || row.expires_at === 0) return { token: row?.token, state: "released" as const };
    return { token: row.token, state: row.expires_at > row.now ? ("held" as const) : ("expired" as const) };
  };

  const update = (lease: Lease, expiresAt: ReturnType<typeof sql<number>>, onlyHeld: boolean) =>
    database.write((db) =>
      db
        .updateTable("leases")
        .set({ expires_at: expiresAt })
        .where(({ and }) => and({ owner, name: lease.name, token: lease.token, holder: lease.holder }))
        .$if(onlyHeld, (query) => query.where("expires_at", ">", 0))
        .returning("token")
        .executeTakeFirst(),
    );

  const leases: Leases = {
    async acquire(name, { ttlMs = usualTtlMs, waitMs = 0, signal } = {}) {
      for await (const _ of attempts(waitMs, signal)) {
        const lease = await tryAcquire(name, ttlMs);
        if (lease !== undefined) return lease;
      }
      return undefined;
    },

    async renew(lease, ttlMs = usualTtlMs) {
      // A renewal that was under way when the lease was released must not take it again: all others would wait for it.
      const row = await update(lease, sql<number>`${now} + ${ttlMs}`, true);
      return row !== undefined;
    },

    async release(lease) {
      await update(lease, sql<number>`0`, false);
    },

    async runExclusive(name, options, work) {
      const { ttlMs = usualTtlMs, waitMs = 0, signal } = options;
      let seen: number | undefined;
      for await (const _ of attempts(waitMs, signal)) {
        // Someone else runs it: wait for them, and run it here only if they died.
        const place = seen === undefined ? { state: "unknown" as const, token: undefined } : await look(name);
        if (place.state === "held" && place.token === seen) continue;
        if (place.state === "held" || place.state === "released") return { ran: false, finished: true };
        const lease = await tryAcquire(name, ttlMs);
        if (lease !== undefined) return runWith(leases, lease, { ttlMs, work, ...(signal && { signal }) });
        seen = (await look(name)).token ?? -1;
      }
      return { ran: false, finished: false };
    },
  };
  return leases;
}

/** Tries at once, then again at growing intervals, until the time is up. */
async function* attempts(waitMs: number, signal: AbortSignal | undefined): AsyncGenerator<void> {
  const end = performance.now() + waitMs;
  for (let pause = pollMs.first; ; pause = Math.min(pause * 1.5, pollMs.most)) {
    signal?.throwIfAborted();
    yield;
    const left = end - performance.now();
    if (left <= 0) return;
    await delay(Math.min(pause, left), undefined, signal === undefined ? {} : { signal });
  }
}

async function runWith<TResult>(
  leases: Leases,
  lease: Lease,
  options: {
    readonly ttlMs: number;
    readonly signal?: AbortSignal;
    readonly work: (lease: Lease, signal: AbortSignal) => Promise<TResult>;
  },
): Promise<ExclusiveOutcome<TResult>> {
  const lost = new AbortController();
  let isDone = false;
  const signal = options.signal === undefined ? lost.signal : AbortSignal.any([options.signal, lost.signal]);
  const renewal = setInterval(async () => {
    // An error of the database does not mean that the lease is lost: the fence is checked again when the result is
    // stored.
    const kept = await leases.renew(lease, options.ttlMs).catch(() => true);
    if (!kept && !isDone) lost.abort(new Error(`The lease ${lease.name} was taken over.`));
  }, options.ttlMs / 3);
  renewal.unref();
  try {
    return { ran: true, result: await options.work(lease, signal) };
  } finally {
    isDone = true;
    clearInterval(renewal);
    await leases.release(lease).catch(() => undefined);
  }
}
