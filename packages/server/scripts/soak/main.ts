// npm run soak -- [minutes]: mixed load on the server as it is shipped; its memory over time. 30 minutes unless told.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { longDraft, toOpenaiChat } from "@midfold/testkit";
import { startStage } from "../attack/stage.ts";

const minutes = Number(process.argv[2] ?? 30);
const mostMegabytes = 400;
const stage = await startStage();
const until = performance.now() + minutes * 60_000;
const memory: { readonly minute: number; readonly megabytes: number }[] = [];
let requests = 0;
let failed = 0;

const rss = () => {
  const status = readFileSync(`/proc/${stage.process.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
};
/** What the main thread's own heap and buffers take of it, in megabytes. */
const partsOf = async () => {
  const response = await fetch(`${stage.url}/metrics`, { headers: { "x-api-key": stage.keys.admin ?? "" } });
  const text = await response.text();
  const read = (name: string) =>
    Math.round(Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1] ?? 0) / 1_048_576);
  return `heap ${read("nodejs_heap_size_used_bytes")} of ${read("nodejs_heap_size_total_bytes")}, buffers ${read("nodejs_external_memory_bytes")}`;
};
const post = async (path: string, body: unknown, key = stage.keys.anna) => {
  requests += 1;
  try {
    const response = await fetch(`${stage.url}${path}`, {
      method: "POST",
      headers: { "x-api-key": key ?? "", "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (response.status >= 500) failed += 1;
    return text;
  } catch {
    failed += 1;
    return "{}";
  }
};
const loops = [
  async (round: number) =>
    void (await post("/v1/chat/completions", {
      model: "midfold-demo",
      messages: [{ role: "user", content: `hello ${round}` }],
    })),
  async (round: number) => {
    // A conversation that grows, as an agent's does.
    const messages = toOpenaiChat(longDraft({ seed: round % 50, turns: 20 + (round % 60) }));
    await post("/v1/chat/completions", { model: "midfold-demo", stream: true, messages });
  },
  async (round: number) => {
    const text = `${round} ${"the quick brown fox ".repeat(20_000)}`;
    await post("/v1/messages", {
      model: "midfold-demo",
      max_tokens: 50,
      messages: [
        { role: "user", content: text },
        { role: "assistant", content: "ok" },
        { role: "user", content: "go on" },
      ],
    });
    await delay(200);
  },
  async (round: number) => {
    const { id } = JSON.parse(await post("/api/sessions", { title: `s${round}` }, stage.keys.ben)) as { id?: string };
    for (let i = 0; i < 3; i++)
      await post(
        `/api/sessions/${id}/messages`,
        { text: `question ${i} `.repeat(50), model: "midfold-demo" },
        stage.keys.ben,
      );
  },
  async (round: number) =>
    void (await post("/v1/messages/count_tokens", {
      model: "gpt-4o",
      messages: [{ role: "user", content: `count ${round} `.repeat(2_000) }],
    })),
];

const running = loops.map(async (loop) => {
  for (let round = 0; performance.now() < until && stage.alive(); round++) await loop(round);
});
while (performance.now() < until && stage.alive()) {
  const minute = minutes - (until - performance.now()) / 60_000;
  memory.push({ minute, megabytes: rss() });
  console.log(
    `${minute.toFixed(1).padStart(6)} min  ${String(memory.at(-1)?.megabytes).padStart(5)} MB  ${await partsOf()}, ${requests} requests, ${failed} failed`,
  );
  await delay(Math.min(15_000, (minutes * 60_000) / 10));
}
await Promise.all(running);
const alive = stage.alive();
await stage.stop();

// Warm-up is the first third; afterwards the average of the last third may be no more than a tenth above the second's.
const third = (from: number, to: number) => {
  const part = memory
    .filter(({ minute }) => minute >= minutes * from && minute < minutes * to)
    .map(({ megabytes }) => megabytes);
  return part.length === 0 ? 0 : part.reduce((sum, value) => sum + value, 0) / part.length;
};
const [middle, last] = [third(1 / 3, 2 / 3), third(2 / 3, 1)];
const growth = middle === 0 ? 0 : last / middle - 1;
const peak = Math.max(...memory.map(({ megabytes }) => megabytes));
const held = alive && growth <= 0.1 && last <= mostMegabytes && failed === 0;
console.log(
  `RESULT ${JSON.stringify({ soak: "midfold", minutes, requests, failed, peakMb: peak, middleMb: Math.round(middle), lastMb: Math.round(last), growth: Number(growth.toFixed(3)), held })}`,
);
process.exit(held ? 0 : 1);
