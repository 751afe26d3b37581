import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@midfold/store";

/** A server as it is shipped, in a process of its own, with keys of several owners. */
export interface Stage {
  readonly url: string;
  /** By name: `admin`, `anna`, `ben`, and `limited` with one request a minute. */
  readonly keys: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly process: ChildProcess;
  /** False when it has ended. */
  alive(): boolean;
  /** Milliseconds until `/healthz` has answered. */
  healthz(): Promise<number>;
  /** Resolves with its exit code. */
  stop(): Promise<number | null>;
}

const main = new URL("../../../cli/src/main.ts", import.meta.url).pathname;
// The released image contains plain JavaScript, so nothing there keeps the type stripper in memory.
const stripOnce = new URL("../../../../scripts/strip-once.mjs", import.meta.url).href;

/** One malloc arena for all threads, and long buffers returned as soon as they are free. */
const allocator = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };

/** Starts the server as the image does, on a free port of this machine, with a SQLite file in a temporary folder. */
export async function startStage(settings: object = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "midfold-attack-"));
  const database = `sqlite:${join(folder, "a.db")}`;
  const store = await openStore({ url: database });
  const make = async (owner: string, limits: object) =>
    (await store.of(owner).keys.create({ name: owner, limits: { ...limits } })).secret;
  const keys = {
    admin: await make("root", { admin: true }),
    anna: await make("anna", {}),
    ben: await make("ben", {}),
    limited: await make("limited", { requestsPerMinute: 1 }),
  };
  await store.close();
  const config = join(folder, "midfold.yaml");
  const server = { keys: "required", host: "127.0.0.1", port: 0, database, logLevel: "error", ...settings };
  writeFileSync(config, JSON.stringify({ server }));
  const { PATH = "", HOME = "" } = process.env;
  const node = ["--import", stripOnce, main];
  const child = spawn(process.execPath, [...node, "serve", "--config", config], {
    env: { PATH, HOME, ...allocator },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (out += String(text)));
  const url = await new Promise<string>((resolve, reject) => {
    const look = setInterval(() => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0];
      if (found === undefined && child.exitCode === null) return;
      clearInterval(look);
      if (found === undefined) reject(new Error(out));
      else resolve(found);
    }, 20);
  });
  return {
    url,
    keys,
    folder,
    process: child,
    alive: () => child.exitCode === null && child.signalCode === null,
    healthz: () => askHealth(url),
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
      return child.exitCode;
    },
  };
}

function askHealth(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const asked = request(`${url}/healthz`, { timeout: 30_000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(performance.now() - began));
    });
    asked.on("error", reject);
    asked.on("timeout", () => asked.destroy(new Error("no answer")));
    asked.end();
  });
}
