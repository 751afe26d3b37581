/**
 * Times the real chat service: SQLite on disk, the demo model, no network. Prints what each step takes for a session of
 * 1000 messages and how long the event loop was blocked meanwhile.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getCounter } from "@midfold/core";
import { openStore } from "@midfold/store";
import { longConversation } from "@midfold/testkit";
import { createChatRoutes } from "../src/chat/create-chat-routes.ts";
import { createChatModels } from "../src/chat/models/create-chat-models.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { createDestinations } from "../src/upstreams/create-destinations.ts";

const messageCount = Number(process.env.MESSAGES ?? 1000);
const reads = Number(process.env.READS ?? 200);

interface Row {
  readonly step: string;
  readonly ms: number;
  readonly limitMs?: number;
  readonly loopMs?: number;
}

const folder = await mkdtemp(join(tmpdir(), "midfold-bench-chat-"));
const store = await openStore({ url: `sqlite:${join(folder, "chat.db")}` });
const config = loadConfig(undefined, {});
const destinations = createDestinations({
  config,
  newId: () => crypto.randomUUID(),
  now: Date.now,
  demoDelayMs: 0,
  onListError: () => undefined,
});
const silent = () => undefined;
const app = createChatRoutes({
  store,
  models: createChatModels({ config, destinations }),
  log: { info: silent, warn: silent, error: silent },
});

const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await app.request(path, { method, ...init });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
};

/** Runs something once and notes its time and the longest the event loop was blocked. */
async function timed(step: string, limitMs: number | undefined, work: () => Promise<unknown>): Promise<Row> {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, 20));
  loop.disable();
  return { step, ms, loopMs: loop.max / 1e6, ...(limitMs === undefined ? {} : { limitMs }) };
}

const rows: Row[] = [];
try {
  const sizes: number[] = [];
  const seed = async (number: number): Promise<string> => {
    const messages = longConversation({ turns: messageCount, seed: number, maxMessages: messageCount + 1 }).filter(
      (message) => message.role !== "system",
    );
    sizes.push(messages.length);
    const session = await store.of("local").sessions.create({ title: "Bench", model: "midfold-demo" });
    for (let start = 0; start < messages.length; start += 500) {
      const drafts = messages.slice(start, start + 500).map(({ role, parts }) => ({ role, parts }));
      await store.of("local").messages.append(session.id, drafts);
    }
    return `/sessions/${session.id}`;
  };
  const base = await seed(1);
  const usage = (path: string) =>
    call("GET", `${path}/usage`).then((response) => response.json() as Promise<{ total: number }>);
  let tokens = 0;
  rows.push(
    await timed("load the token tables, once per process", undefined, async () => getCounter("gpt-4o").count("a")),
  );
  // Three histories without common text; on a busy machine the best of them says most about the code.
  const cold: Row[] = [];
  for (const path of [base, await seed(2), await seed(3)]) {
    cold.push(
      await timed("count the whole history, cold, best of 3", 500, async () => {
        tokens = (await usage(path)).total;
      }),
    );
  }
  cold.sort((a, b) => a.ms - b.ms);
  rows.push(cold[0] as Row);
  rows.push(await timed("count it again, warm", undefined, () => usage(base)));
  rows.push(await timed("preview a fold", undefined, () => call("POST", `${base}/folds/preview`, {})));
  rows.push(
    await timed("first message: fold the history, then reply", 10_000, async () => {
      const text = await (await call("POST", `${base}/messages`, { text: "Where were we?" })).text();
      if (!text.includes("fold.done")) throw new Error("nothing was folded");
    }),
  );
  // The rest of the fold (events, the log) ends first, so that only reading is measured.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const times: number[] = [];
  for (let i = 0; i < reads; i++) {
    const startedAt = performance.now();
    await call("GET", `${base}/model-view`);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  rows.push({ step: "build the context after the fold, p50", ms: at(0.5) });
  rows.push({ step: "build the context after the fold, p99", ms: at(0.99), limitMs: 100 });
  rows.push(
    await timed("next message, no fold", undefined, async () =>
      (await call("POST", `${base}/messages`, { text: "And now?" })).text(),
    ),
  );

  const width = Math.max(...rows.map(({ step }) => step.length));
  console.log(`${sizes[0]} messages, ${tokens} tokens, SQLite on disk, built-in summarizer, demo model\n`);
  for (const { step, ms, limitMs, loopMs } of rows) {
    const limit = limitMs === undefined ? "" : `limit ${limitMs} ms ${ms < limitMs ? "ok" : "MISSED"}`;
    const loop = loopMs === undefined ? "" : `event loop held ${loopMs.toFixed(0)} ms`;
    console.log(`${step.padEnd(width)}  ${ms.toFixed(1).padStart(9)} ms  ${limit.padEnd(22)}  ${loop}`);
  }
  const missed = rows.filter(({ ms, limitMs }) => limitMs !== undefined && ms >= limitMs);
  console.log(`RESULT ${JSON.stringify({ messages: sizes[0], tokens, rows, missed: missed.length })}`);
  if (missed.length > 0) process.exitCode = 1;
} finally {
  await store.close();
  await destinations.close();
  await rm(folder, { recursive: true, force: true });
}
