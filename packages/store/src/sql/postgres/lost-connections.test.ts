import { connect, createServer, type Socket } from "node:net";
import { isMidfoldError } from "@midfold/core";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../open-store.ts";
import { startPostgres, type TestPostgres } from "../../testing/start-postgres.ts";
import { openPostgres } from "./open-postgres.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres({ durable: true });
});
afterAll(() => server.stop());

/** Everything a replica does at once, again and again, until told to stop; returns the codes of what failed. */
function work(url: string) {
  const codes: string[] = [];
  let running = true;
  let done = 0;
  const finished = (async () => {
    const store = await openStore({ url, maxConnections: 6 });
    const owner = store.of("owner");
    const { id } = await owner.sessions.create({ title: "load" });
    await owner.events.subscribe(() => undefined);
    const tasks = [
      () => owner.messages.append(id, [{ role: "user", parts: [{ type: "text", text: "hi" }] }]),
      () => owner.messages.list(id, { limit: 5 }),
      () => owner.events.publish({ type: "x" } as never),
      () => store.check(),
      () => store.ping(),
    ];
    const loop = async (task: () => Promise<unknown>) => {
      while (running) {
        try {
          await task();
          done += 1;
        } catch (error) {
          codes.push(isMidfoldError(error) ? error.code : `not ours: ${String(error)}`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    await Promise.all(tasks.map(loop));
    await store.ping();
    await store.close();
  })();
  return {
    codes,
    done: () => done,
    stop: () => {
      running = false;
      return finished;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("a store whose database goes away under load", () => {
  it("loses calls, not the process, when every connection is terminated", async () => {
    const url = await server.createDatabase();
    const load = work(url);
    await until(() => load.done() > 20);
    const admin = new pg.Client(url);
    await admin.connect();
    for (let round = 0; round < 5; round++) {
      await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
      );
      const before = load.done();
      await until(() => load.done() > before + 10);
    }
    await admin.end();
    await load.stop();
    expect(new Set(load.codes)).toEqual(new Set(["STORE_UNAVAILABLE"]));
  });

  it("goes on after the server was killed and started again", async () => {
    const load = work(await server.createDatabase());
    await until(() => load.done() > 20);
    await server.crash();
    const before = load.done();
    await until(() => load.done() > before + 20);
    await load.stop();
    expect(new Set(load.codes)).toEqual(new Set(["STORE_UNAVAILABLE"]));
  });
});

/** Passes bytes on until told to hang: then the network swallows everything, and nobody is told. */
async function startLine(target: string) {
  const { port } = new URL(target);
  let hanging = false;
  const sockets = new Set<Socket>();
  const line = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined);
      from.on("data", (chunk) => {
        if (!hanging) to.write(chunk);
      });
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => line.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.port = String((line.address() as { port: number }).port);
  return {
    url: url.href,
    hang: (yes: boolean) => {
      hanging = yes;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      line.close();
    },
  };
}

/** On a busy machine connecting may take longer than the short patience set here: then it is tried again. */
async function works(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      expect(isMidfoldError(error, "STORE_UNAVAILABLE")).toBe(true);
    }
  }
}

describe("a store whose database hangs", () => {
  it("tells its callers within the time set, and works again afterwards", async () => {
    const line = await startLine(await server.createDatabase());
    const database = openPostgres({
      url: line.url,
      maxConnections: 2,
      onLostConnection: () => undefined,
      patienceMs: 200,
    });
    const read = () => database.read((db) => db.selectNoFrom(database.traits.version.as("version")).execute());
    const write = () => database.write((db) => db.selectNoFrom(database.traits.version.as("version")).execute());
    await Promise.all([works(read), works(write)]);
    line.hang(true);
    // Nothing else ends these: the line hangs until they have.
    const outcomes = await Promise.allSettled([read(), write(), read(), write(), read(), write()]);
    for (const outcome of outcomes) {
      expect(outcome.status === "rejected" && isMidfoldError(outcome.reason, "STORE_UNAVAILABLE")).toBe(true);
    }
    line.hang(false);
    await Promise.all([works(read), works(write), works(read), works(write)]);
    await database.close();
    line.close();
  });
});
