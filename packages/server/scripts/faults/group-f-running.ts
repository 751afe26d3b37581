import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Check, check, ms, require, requireEqual, waitFor } from "./check.ts";
import { ask, slow, withChild } from "./child-stage.ts";
import { chat, hello, withStage, words } from "./setup.ts";

export const runningChecks: readonly Check[] = [
  {
    id: "F1",
    fault: "SIGTERM with 50 streams; a second signal",
    run: async () => {
      const first = await withChild({ script: () => slow }, async (child) => {
        // All have begun: one that had not would rightly be refused.
        const answers = await Promise.all(Array.from({ length: 50 }, () => ask(child.url, { ...hello, stream: true })));
        const streams = answers.map((answer) => answer.text());
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
          const answer = await ask(child.url, { ...hello, stream: true });
          const stream = answer.text().catch(() => "");
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
          const stream = (await ask(child.url, { ...hello, stream: true })).text();
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
          requireEqual((await fetch(`${child.url}/healthz`)).status, 200, "health afterwards");
          requireEqual((await ask(child.url, hello)).status, 200, "the next request");
          const metrics = await (await fetch(`${child.url}/metrics`)).text();
          requireEqual(/^midfold_unexpected_errors_total (\d+)/m.exec(metrics)?.[1], "1", "errors counted");
          require(child.output().includes("unexpected error"), "the error is not in the log");
          return "a stray error is logged and counted; running and later requests are answered";
        },
      ).finally(() => rmSync(folder, { recursive: true }));
      return `${inside}; ${outside}`;
    },
  },
  check(
    "F3",
    "more than the server can hold",
    withStage,
    {
      upstream: { script: () => ({ text: "ok", stream: {}, fault: { kind: "delay" as const, delayMs: 5_000 } }) },
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
  check("F4", "event loop blocked", withChild, {}, async (child) => {
    await ask(child.url, { model: "gpt-4o", messages: [{ role: "user", content: words(100_000) }] });
    requireEqual((await fetch(`${child.url}/healthz`)).status, 200, "liveness");
    const metrics = await (await fetch(`${child.url}/metrics`)).text();
    require(metrics.includes("nodejs_eventloop_lag_p99_seconds"), "no lag metric");
    return "liveness answers, lag is in the metrics";
  }),
  check(
    "F5",
    "small heap, many large bodies",
    withChild,
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
];
