import OpenAI from "openai";
import { type Check, check, ms, require, requireEqual } from "./check.ts";
import { everyDialect, status, streamed } from "./dialects.ts";
import { chat, hello, withDemo, withStage } from "./setup.ts";

export const failureChecks: readonly Check[] = [
  {
    id: "C1",
    fault: "connection refused; name not found",
    run: async () => {
      const took: string[] = [];
      for (const baseUrl of ["http://127.0.0.1:1/v1", "http://no-such-host.invalid/v1"]) {
        await withDemo(
          { yaml: JSON.stringify({ upstreams: { down: { baseUrl } }, routes: [{ model: "*", upstream: "down" }] }) },
          async ({ post }) => {
            const startedAt = performance.now();
            const { status: answered } = await post(chat, hello);
            // The model list is asked for as well; together they may already have opened the breaker.
            require(answered === 502 || answered === 503, `${baseUrl}: ${answered}`);
            const elapsed = performance.now() - startedAt;
            require(elapsed < 15_000, `took ${ms(elapsed)}`);
            took.push(ms(elapsed));
          },
        );
      }
      return `502 or 503 after ${took.join(" and ")}`;
    },
  },
  check("C2", "accepts and never answers", withStage, { deadlines: { firstByte: "700ms" } }, async (stage) => {
    requireEqual((await status(stage, { kind: "silence" }, 3)).status, 504, "status");
    requireEqual(stage.simulator.counts.requests, 1, "upstream calls");
    return "504 at the first-byte deadline, not retried";
  }),
  {
    id: "C3",
    fault: "stall mid-stream",
    run: () => everyDialect({ kind: "stall", afterFrames: 4 }, { deadlines: { idle: "500ms" } }),
  },
  {
    id: "C4",
    fault: "reset and premature end mid-stream",
    run: async () =>
      `${await everyDialect({ kind: "reset", afterFrames: 4 })}; ${await everyDialect({ kind: "cut", afterFrames: 4 })}`,
  },
  {
    id: "C5",
    fault: "half a frame, then the end",
    run: () => everyDialect({ kind: "cut", afterFrames: 4, half: true }),
  },
  {
    id: "C6",
    fault: "error event inside a 200",
    run: () => everyDialect({ kind: "error-event", afterFrames: 4, message: "it broke" }),
  },
  check("C7", "200 with an empty body; 200 with no events", withStage, {}, async (stage) => {
    const empty = await status(stage, { kind: "empty" });
    requireEqual(empty.status, 200, "after a retry");
    stage.simulator.failNext({ kind: "no-events" });
    const silent = await stage.gateway.post(chat, streamed);
    require(silent.status >= 500, `no events: ${silent.status}`);
    return `empty: tried again; no events: ${silent.status}`;
  }),
  check("C8", "429 with retry-after 1, 3600, garbage", withStage, {}, async (stage) => {
    for (const retryAfter of ["1", "3600", "soon"]) {
      const refused = await status(stage, { kind: "status", status: 429, retryAfter });
      requireEqual(refused.status, 429, retryAfter);
      requireEqual(refused.headers.get("retry-after"), retryAfter, "retry-after");
    }
    requireEqual(stage.simulator.counts.requests, 3, "upstream calls");
    return "handed on as they are, asked once each: the client has retries of its own";
  }),
  check("C9", "500, 502, 503, 529 for ever", withStage, {}, async ({ simulator, gateway }) => {
    simulator.failNext({ kind: "status", status: 500 }, 1_000);
    const answers = await Promise.all(Array.from({ length: 60 }, async () => (await gateway.post(chat, hello)).status));
    require(answers.every((code) => code >= 500), "a success");
    require(simulator.counts.requests <= 60 * 1.6, `${simulator.counts.requests} upstream calls for 60 requests`);
    return `60 requests made ${simulator.counts.requests} upstream calls, the rest was stopped by the retry budget and the breaker`;
  }),
  check("C10", "connection lost after the body was sent", withStage, {}, async (stage) => {
    requireEqual((await status(stage, { kind: "reset" })).status, 502, "status");
    requireEqual(stage.simulator.counts.requests, 1, "upstream calls");
    return "502, not sent twice";
  }),
  check("C11", "the client's retries times ours", withStage, {}, async ({ simulator, gateway }) => {
    simulator.failNext({ kind: "status", status: 503 }, 1_000);
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "k", maxRetries: 2 });
    await client.chat.completions.create(hello as never).catch(() => undefined);
    require(simulator.counts.requests <= 9, `${simulator.counts.requests} calls`);
    return `${simulator.counts.requests} upstream calls for one call with two client retries`;
  }),
];
