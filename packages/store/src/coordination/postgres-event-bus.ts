import { setTimeout as delay } from "node:timers/promises";
import { MidfoldError } from "@midfold/core";
import { sql } from "kysely";
import pg from "pg";
import { createId } from "../create-id.ts";
import type { Database } from "../sql/database.ts";
import { toStorableJson } from "../text/storable.ts";
import type { EventBus } from "./event-bus.ts";
import type { StoreEvent } from "./events.ts";
import { createLocalEventBus } from "./local-event-bus.ts";

const channel = "midfold_events";
/** PostgreSQL allows 8000 bytes in a notification; larger ones are put into a table. */
const maxInline = 7_500;
const keepPayloadsMs = 60_000;
const patienceMs = 5_000;

interface Envelope {
  readonly owner: string;
  readonly event?: StoreEvent;
  readonly payloadId?: string;
}

/** LISTEN on a connection of its own, opened when the first subscriber comes and again whenever it is lost. */
export function createPostgresEventBus(options: {
  readonly url: string;
  readonly database: Database;
  readonly onProblem: (message: string, cause: unknown) => void;
}): EventBus {
  const { url, database, onProblem } = options;
  const local = createLocalEventBus((error) => onProblem("An event listener failed.", error));
  let listening: Promise<void> | undefined;
  let client: pg.Client | undefined;
  let closed = false;

  const listen = async () => {
    const opened = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      keepAlive: true,
      application_name: "midfold-events",
    });
    opened.on("notification", ({ payload }) => void receive(payload ?? ""));
    opened.on("error", (error) => {
      onProblem("The connection for live events was lost; connecting again.", error);
    });
    opened.on("end", () => {
      if (client === opened && !closed) listening = relisten();
    });
    await opened.connect();
    await opened.query(`listen ${channel}`);
    client = opened;
  };

  const relisten = async () => {
    for (let pause = 100; !closed; pause = Math.min(pause * 2, 5_000)) {
      try {
        return await listen();
      } catch {
        await delay(pause, undefined, { ref: false });
      }
    }
  };

  // One after the other, so that an event read from the table is not overtaken by a later one.
  let queue = Promise.resolve();
  const receive = (payload: string) => {
    queue = queue.then(async () => {
      try {
        const { owner, event, payloadId } = JSON.parse(payload) as Envelope;
        const body = event ?? (await loadPayload(database, payloadId ?? ""));
        if (body !== undefined) local.deliver(owner, body);
      } catch (error) {
        onProblem("A live event could not be read.", error);
      }
    });
    return queue;
  };

  return {
    async publish(owner, event) {
      const inline = toStorableJson({ owner, event } satisfies Envelope);
      const payload =
        Buffer.byteLength(inline) <= maxInline
          ? inline
          : JSON.stringify({ owner, payloadId: await storePayload(database, event) } satisfies Envelope);
      await database.read((db) => sql`select pg_notify(${channel}, ${payload})`.execute(db));
    },
    async subscribe(owner, listener) {
      listening ??= listen().catch((error) => {
        listening = undefined;
        throw error;
      });
      await withinPatience(listening);
      return local.subscribe(owner, listener);
    },
    async close() {
      closed = true;
      await local.close();
      await withinPatience(listening ?? Promise.resolve()).catch(() => undefined);
      await withinPatience(client?.end() ?? Promise.resolve()).catch(() => undefined);
    },
  };
}

/** Reconnecting may take as long as the database is away; callers do not wait that long. */
async function withinPatience(promise: Promise<void>): Promise<void> {
  const stop = new AbortController();
  const late = delay(patienceMs, undefined, { signal: stop.signal }).then(() => {
    throw new MidfoldError("STORE_UNAVAILABLE", "The database did not answer. Try again.");
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    late.catch(() => undefined);
    stop.abort();
  }
}

async function storePayload(database: Database, event: StoreEvent): Promise<string> {
  const id = createId();
  const { now } = database.traits;
  await database.write(async (db) => {
    await db.deleteFrom("event_payloads").where("created_at", "<", sql<number>`${now} - ${keepPayloadsMs}`).execute();
    await db
      .insertInto("event_payloads")
      .values({ id, body: toStorableJson(event), created_at: now })
      .execute();
  });
  return id;
}

async function loadPayload(database: Database, id: string): Promise<StoreEvent | undefined> {
  const row = await database.read((db) =>
    db.selectFrom("event_payloads").select("body").where("id", "=", id).executeTakeFirst(),
  );
  return row === undefined ? undefined : JSON.parse(row.body);
}
