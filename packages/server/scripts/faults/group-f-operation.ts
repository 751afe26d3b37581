import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Store } from "@midfold/store";
import { startSimulator } from "@midfold/testkit";
import { type Check, ms, require, requireEqual, waitFor } from "./check.ts";
import { simConfig, startChild } from "./child-gateway.ts";
import { chat, hello, withDemo, withStage, words } from "./setup.ts";

const json = { "content-type": "application/json" };
const ask = (url: string, body: object) =>
  fetch(`${url}${chat}`, { method: "POST", headers: json, body: JSON.stringify(body) });
const slow = { text: words(12), stream: { delayMs: 40 } };

async function withChild<TResult>(
  options: {
    readonly script?: () => object;
    readonly server?: object;
    readonly nodeArgs?: readonly string[];
    readonly readLog?: boolean;
  },
  work: (
    child: Awaited<ReturnType<typeof startChild>>,
    simulator: Awaited<ReturnType<typeof startSimulator>>,
  ) => Promise<TResult>,
): Promise<TResult> {
  const simulator = await startSimulator({
    protocol: "openai-chat",
    ...(options.script === undefined ? {} : { script: options.script as never }),
  });
  const child = await startChild({
    config: simConfig(simulator.url, { server: options.server ?? {} }),
    env: { SIM_KEY: "k" },
    ...(options.nodeArgs === undefined ? {} : { nodeArgs: options.nodeArgs }),
    ...(options.readLog === undefined ? {} : { readLog: options.readLog }),
  });
  try {
    return await work(child, simulator);
  } finally {
    await child.stop();
    await simulator.close();
  }
}

export const operationChecks: readonly Check[] = [
  {
    id: "F1",
    fault: "SIGTERM with 50 streams; a second signal",
    run: async () => {
      const first = await withChild({ script: () => slow }, async (child) => {
        const streams = Array.from({ length: 50 }, async () =>
          (await ask(child.url, { ...hello, stream: true })).text(),
        );
        await new Promise((resolve) => setTimeout(resolve, 700));
        child.process.kill("SIGTERM");
        await waitFor(
          () =>
            fetch(`${child.url}/readyz`).then(
              ({ status }) => status === 503,
              () => true,
            ),
          3_000,
          "readiness 503",
        );
        const texts = await Promise.all(streams);
        requireEqual(texts.filter((text) => text.includes("[DONE]")).length, 50, "finished streams");
        requireEqual(await child.exited, 0, "exit code");
        return "50 of 50 streams finish, exit 0";
      });
      const second = await withChild(
        { script: () => ({ text: words(500), stream: { delayMs: 50 } }) },
        async (child) => {
          const stream = ask(child.url, { ...hello, stream: true })
            .then((response) => response.text())
            .catch(() => "");
          await new Promise((resolve) => setTimeout(resolve, 500));
          child.process.kill("SIGTERM");
          await new Promise((resolve) => setTimeout(resolve, 300));
          const at = performance.now();
          child.process.kill("SIGTERM");
          await child.exited;
          await stream;
          return `a second signal ends it in ${ms(performance.now() - at)}`;
        },
      );
      const third = await withChild(
        { script: () => ({ text: words(500), stream: { delayMs: 50 } }), server: { deadlines: { shutdown: "1s" } } },
        async (child) => {
          const stream = ask(child.url, { ...hello, stream: true }).then((response) => response.text());
          await new Promise((resolve) => setTimeout(resolve, 500));
          child.process.kill("SIGTERM");
          const text = await stream;
          require(text.includes("shutting down") && !text.includes("[DONE]"), `ended with …${text.slice(-120)}`);
          requireEqual(await child.exited, 0, "exit code");
          return "what outlasts the grace gets an error event";
        },
      );
      return `${first}; ${third}; ${second}`;
    },
  },
  {
    id: "F2",
    fault: "uncaught error in one request; outside any",
    run: async () => {
      const inside = await withStage(
        {
          start: {
            client: {
              send: async () => {
                throw new TypeError("secret detail of a bug");
              },
              close: async () => undefined,
            },
          },
        },
        async ({ gateway }) => {
          const response = await gateway.post(chat, hello);
          const text = await response.text();
          requireEqual(response.status, 500, "status");
          require(!text.includes("secret detail"), "the error's text is shown");
          requireEqual((await fetch(`${gateway.url}/healthz`)).status, 200, "health");
          return "500 without detail, others unaffected";
        },
      );
      const folder = mkdtempSync(join(tmpdir(), "midfold-crash-"));
      const preload = join(folder, "crash.mjs");
      writeFileSync(preload, 'process.on("SIGUSR2", () => setImmediate(() => { throw new Error("stray"); }));');
      const outside = await withChild(
        { script: () => ({ text: words(40), stream: { delayMs: 50 } }), nodeArgs: ["--import", preload] },
        async (child) => {
          const stream = ask(child.url, { ...hello, stream: true }).then((response) => response.text());
          await new Promise((resolve) => setTimeout(resolve, 700));
          child.process.kill("SIGUSR2");
          require((await stream).includes("[DONE]"), "the running stream was cut");
          requireEqual(await child.exited, 1, "exit code");
          return "a stray error drains: the running stream finishes, then exit 1";
        },
      ).finally(() => rmSync(folder, { recursive: true }));
      return `${inside}; ${outside}`;
    },
  },
  {
    id: "F3",
    fault: "more than the server can hold",
    run: () =>
      withStage(
        {
          upstream: { script: () => ({ text: "ok", stream: {}, fault: { kind: "delay", delayMs: 300 } }) },
          server: { limits: { inFlight: 10 } },
        },
        async ({ gateway }) => {
          const startedAt = performance.now();
          const statuses = await Promise.all(
            Array.from({ length: 60 }, async () => {
              const response = await gateway.post(chat, hello);
              return {
                code: response.status,
                after: response.headers.get("retry-after"),
                took: performance.now() - startedAt,
              };
            }),
          );
          const refused = statuses.filter(({ code }) => code === 503);
          requireEqual(statuses.filter(({ code }) => code === 200).length, 10, "answered");
          requireEqual(refused.length, 50, "refused");
          require(refused.every(({ after }) => after !== null), "no retry-after");
          requireEqual((await gateway.post(chat, hello)).status, 200, "afterwards");
          return `10 answered, 50 refused with retry-after, recovers at once`;
        },
      ),
  },
  {
    id: "F4",
    fault: "event loop blocked",
    run: () =>
      withChild({}, async (child) => {
        await ask(child.url, { model: "gpt-4o", messages: [{ role: "user", content: words(100_000) }] });
        requireEqual((await fetch(`${child.url}/healthz`)).status, 200, "liveness");
        const metrics = await (await fetch(`${child.url}/metrics`)).text();
        require(metrics.includes("nodejs_eventloop_lag_p99_seconds"), "no lag metric");
        return "liveness answers, lag is in the metrics";
      }),
  },
  {
    id: "F5",
    fault: "small heap, many large bodies",
    run: () =>
      withChild(
        { nodeArgs: ["--max-old-space-size=200"], server: { limits: { bodyBytesInFlight: "48mb" } } },
        async (child) => {
          const body = { model: "gpt-4o", messages: [{ role: "user", content: words(150_000) }] };
          const statuses = await Promise.all(
            Array.from({ length: 24 }, () =>
              ask(child.url, body).then(
                ({ status }) => status,
                () => 0,
              ),
            ),
          );
          requireEqual(child.process.exitCode, null, "the process");
          requireEqual((await fetch(`${child.url}/healthz`)).status, 200, "health");
          require(statuses.some((code) => code === 503), `nothing was shed: ${statuses.join()}`);
          return `alive with ${child.memory().toFixed(0)} MB; ${statuses.filter((code) => code === 503).length} of 24 shed with 503`;
        },
      ),
  },
  {
    id: "F6",
    fault: "log sink blocked",
    run: () =>
      withChild({ server: { logLevel: "debug" }, readLog: false }, async (child) => {
        for (let i = 0; i < 40; i++) {
          const statuses = await Promise.all(
            Array.from({ length: 25 }, () => ask(child.url, hello).then(({ status }) => status)),
          );
          require(statuses.every((code) => code === 200), statuses.join());
        }
        return "1 000 requests answered while nobody reads the log";
      }),
  },
  {
    id: "F7",
    fault: "liveness and readiness with the store down",
    run: () => {
      const fail = () => Promise.reject(new Error("down"));
      const failing = new Proxy({}, { get: () => fail });
      // The request log alone promises never to fail.
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
  {
    id: "F9",
    fault: "configuration file spoilt while running",
    run: () =>
      withChild({}, async (child) => {
        writeFileSync(join(child.folder, "midfold.yaml"), "server: [");
        await new Promise((resolve) => setTimeout(resolve, 300));
        requireEqual((await ask(child.url, hello)).status, 200, "status");
        return "read at start only: what runs goes on";
      }),
  },
  {
    id: "F10",
    fault: "soak (short): mixed load with faults",
    run: () =>
      withChild({ server: { limits: { inFlight: 200 } } }, async (child, simulator) => {
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
        // Until the caches are full, memory may grow; then it may not.
        const done = (await load(5)) + (await load(6));
        const before = child.memory();
        const more = await load(6);
        const grown = child.memory() - before;
        require(grown < 50, `memory grew by ${grown.toFixed(0)} MB`);
        requireEqual((await ask(child.url, hello)).status < 600, true, "alive");
        return `${done + more} requests with cuts and aborts, memory ${grown >= 0 ? "+" : ""}${grown.toFixed(0)} MB`;
      }),
  },
  {
    id: "F11",
    fault: "file descriptors after load",
    run: () =>
      withChild({ server: { deadlines: { keepAlive: "2s" } } }, async (child) => {
        await ask(child.url, hello).then((response) => response.text());
        const before = child.openFiles();
        await Promise.all(
          Array.from({ length: 200 }, () =>
            ask(child.url, { ...hello, stream: true }).then((response) => response.text()),
          ),
        );
        const took = await waitFor(() => child.openFiles() <= before + 10, 45_000, "closing what was opened");
        return `${child.openFiles()} open, ${before} before, after ${ms(took)}`;
      }),
  },
];
