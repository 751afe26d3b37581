import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Store } from "@midfold/store";
import { type Check, check, ms, require, requireEqual, waitFor } from "./check.ts";
import { ask, json, withChild } from "./child-stage.ts";
import { chat, hello, withDemo } from "./setup.ts";

export const operationChecks: readonly Check[] = [
  check("F6", "log sink blocked", withChild, { server: { logLevel: "debug" }, readLog: false }, async (child) => {
    for (let i = 0; i < 40; i++) {
      const statuses = await Promise.all(
        Array.from({ length: 25 }, () => ask(child.url, hello).then(({ status }) => status)),
      );
      require(statuses.every((code) => code === 200), statuses.join());
    }
    return "1 000 requests answered while nobody reads the log";
  }),
  {
    id: "F7",
    fault: "liveness and readiness with the store down",
    run: () => {
      const fail = () => Promise.reject(new Error("down"));
      const failing = new Proxy({}, { get: () => fail });
      // Of the store, only the request log promises never to fail.
      const owner = new Proxy({}, { get: (_, name) => (name === "requests" ? { write: () => false } : failing) });
      const down = { of: () => owner, ping: fail, authenticate: fail, jobs: { work: async () => undefined } };
      return withDemo({ store: down as unknown as Store }, async ({ url, post }) => {
        requireEqual((await fetch(`${url}/healthz`)).status, 200, "liveness");
        requireEqual((await fetch(`${url}/readyz`)).status, 503, "readiness");
        requireEqual((await post(chat, hello)).status, 200, "the gateway");
        return "alive, not ready, and the gateway still answers";
      });
    },
  },
  {
    id: "F8",
    fault: "bad configuration",
    run: async () => {
      const main = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url));
      const folder = mkdtempSync(join(tmpdir(), "midfold-config-"));
      const cases: readonly (readonly [string, RegExp])[] = [
        ["server:\n  prot: 4141\n", /2.*prot|prot.*2/s],
        ["routes:\n  - model: x\n    upstream: nowhere\n", /nowhere/],
        [
          "upstreams:\n  a:\n    provider: openai\n    apiKeyEnv: NOT_SET_ANYWHERE\nroutes:\n  - {model: x, upstream: a}\n",
          /NOT_SET_ANYWHERE/,
        ],
        ["server: [", /YAML/],
      ];
      for (const [text, expected] of cases) {
        const file = join(folder, "midfold.yaml");
        writeFileSync(file, text);
        const done = spawnSync(process.execPath, [main, "serve", "--config", file, "--port", "0"], {
          env: { PATH: process.env.PATH ?? "" },
          encoding: "utf8",
          timeout: 30_000,
        });
        require(done.status === 1, `exit ${done.status}`);
        require(expected.test(done.stderr), done.stderr.slice(0, 300));
      }
      rmSync(folder, { recursive: true });
      return `${cases.length} files refused with their line or name, exit 1`;
    },
  },
  check("F9", "configuration file spoilt while running", withChild, {}, async (child) => {
    const file = join(child.folder, "midfold.yaml");
    const good = readFileSync(file, "utf8");
    writeFileSync(file, "server: [");
    child.process.kill("SIGHUP");
    await waitFor(() => child.output().includes("could not be read again"), 5_000, "saying that it is spoilt");
    requireEqual((await ask(child.url, hello)).status, 200, "status");
    writeFileSync(file, good);
    child.process.kill("SIGHUP");
    await waitFor(() => child.output().includes("configuration read again"), 5_000, "reading it again");
    requireEqual((await ask(child.url, hello)).status, 200, "status after SIGHUP");
    return "what runs goes on; SIGHUP reads it again once it is whole";
  }),
  check(
    "F10",
    "soak (short): mixed load with faults",
    withChild,
    { server: { limits: { inFlight: 200 } } },
    async (child, simulator) => {
      const load = async (seconds: number) => {
        const until = performance.now() + seconds * 1000;
        let done = 0;
        await Promise.all(
          Array.from({ length: 8 }, async (_, worker) => {
            for (let i = 0; performance.now() < until; i++) {
              if (worker === 0 && i % 20 === 5) simulator.failNext({ kind: "cut", afterFrames: 2 });
              const abort = AbortSignal.timeout(worker === 1 ? 15 : 10_000);
              await fetch(`${child.url}${chat}`, {
                method: "POST",
                headers: json,
                signal: abort,
                body: JSON.stringify({ ...hello, stream: i % 2 === 0 }),
              })
                .then((response) => response.text())
                .catch(() => undefined);
              done++;
            }
          }),
        );
        return done;
      };
      // Memory may grow until the caches are full, and not afterwards.
      const done = (await load(5)) + (await load(6));
      const before = child.memory();
      const more = await load(6);
      const grown = child.memory() - before;
      require(grown < 50, `memory grew by ${grown.toFixed(0)} MB`);
      requireEqual((await ask(child.url, hello)).status < 600, true, "alive");
      return `${done + more} requests with cuts and aborts, memory ${grown >= 0 ? "+" : ""}${grown.toFixed(0)} MB`;
    },
  ),
  check(
    "F11",
    "file descriptors after load",
    withChild,
    { server: { deadlines: { keepAlive: "2s" } } },
    async (child) => {
      await ask(child.url, hello).then((response) => response.text());
      const before = child.openFiles();
      await Promise.all(
        Array.from({ length: 200 }, () =>
          ask(child.url, { ...hello, stream: true }).then((response) => response.text()),
        ),
      );
      const took = await waitFor(() => child.openFiles() <= before + 10, 45_000, "closing what was opened");
      return `${child.openFiles()} open, ${before} before, after ${ms(took)}`;
    },
  ),
];
