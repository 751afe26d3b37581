// `npm run bench:store`: a million messages in ten thousand sessions, then what a request has to wait for, on both
// databases. BENCH_SESSIONS makes it smaller; BENCH_DATABASE=sqlite or postgresql takes one of the two.
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type OwnerStore, openStore } from "../src/index.ts";
import { startPostgres } from "../src/testing/start-postgres.ts";
import { loadPostgres } from "./load-postgres.ts";
import { type LoadPlan, sessionIdOf } from "./load-rows.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { percentile, printTable } from "./print-table.ts";
import { characterOf, createRandom, createText, wordOf } from "./synthetic-messages.ts";

const plan: LoadPlan = {
  owner: "bench",
  sessions: Number(process.env.BENCH_SESSIONS ?? 10_000),
  messagesEach: 100,
  cutoff: 80,
};
const only = process.env.BENCH_DATABASE;
const repeats = { context: 4_000, append: 2_000, search: 150 };
const aim = { contextP99Ms: 20 };
const random = createRandom(7);
const anySession = () => sessionIdOf(Math.floor(random() * plan.sessions));

interface Measure {
  readonly what: string;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly perSecond: number;
}

const rounds = 5;

/** Medians over some rounds, so that other programs on the machine spoil single rounds only. */
async function measure(what: string, count: number, width: number, call: () => Promise<unknown>): Promise<Measure> {
  for (let warm = 0; warm < Math.min(50, count); warm++) await call();
  const found: Measure[] = [];
  for (let round = 0; round < rounds; round++) found.push(await measureRound(what, count / rounds, width, call));
  const median = (pick: (round: Measure) => number) => percentile(found.map(pick), 0.5);
  return {
    what,
    p50: median(({ p50 }) => p50),
    p99: median(({ p99 }) => p99),
    most: Math.max(...found.map(({ most }) => most)),
    perSecond: median(({ perSecond }) => perSecond),
  };
}

async function measureRound(
  what: string,
  count: number,
  width: number,
  call: () => Promise<unknown>,
): Promise<Measure> {
  const samples: number[] = [];
  const started = performance.now();
  const lane = async () => {
    while (samples.length < count) {
      const before = performance.now();
      await call();
      samples.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  const perSecond = samples.length / ((performance.now() - started) / 1000);
  return { what, p50: percentile(samples, 0.5), p99: percentile(samples, 0.99), most: Math.max(...samples), perSecond };
}

async function measureAll(owner: OwnerStore): Promise<readonly Measure[]> {
  const append = () =>
    owner.messages.append(anySession(), [{ role: "user", parts: [{ type: "text", text: createText(random, 1) }] }]);
  const search = (query: () => string, session = false) => {
    return () => owner.messages.search(query(), session ? { sessionId: anySession() } : {});
  };
  const rank = (from: number, to: number) => from + Math.floor(random() * (to - from));
  const queries: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["search, rare word", search(() => `"${wordOf(rank(5_000, 19_000))}"`)],
    ["search, middling word", search(() => `"${wordOf(rank(100, 1_000))}"`)],
    ["search, most frequent word", search(() => `"${wordOf(0)}"`)],
    ["search, two words", search(() => `"${wordOf(rank(5, 50))}" "${wordOf(rank(100, 1_000))}"`)],
    ["search, start of a word", search(() => wordOf(rank(1_000, 19_000)).slice(0, 4))],
    ["search, Chinese", search(() => characterOf(rank(1, 30)) + characterOf(rank(1, 30)))],
    ["search, in one session", search(() => wordOf(rank(0, 200)), true)],
  ];
  const measures = [
    await measure("context read", repeats.context, 1, () => owner.context.read(anySession())),
    await measure("context read, 16 at once", repeats.context, 16, () => owner.context.read(anySession())),
    await measure("append", repeats.append, 1, append),
    await measure("append, 16 at once", repeats.append, 16, append),
  ];
  for (const [what, call] of queries) measures.push(await measure(what, repeats.search, 1, call));
  return measures;
}

async function benchmark(url: string): Promise<{ readonly measures: readonly Measure[]; readonly loopMs: number }> {
  const store = await openStore({ url });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const measures = await measureAll(store.of(plan.owner));
  delay.disable();
  await store.close();
  return { measures, loopMs: delay.percentile(99) / 1e6 };
}

const folder = mkdtempSync(join(tmpdir(), "midfold-bench-"));
const server = await startPostgres({ durable: true, flags: ["-c", "shared_buffers=512MB"] });
try {
  const path = join(folder, "bench.db");
  const databases = [
    { name: "SQLite", url: `sqlite:${path}`, load: async () => loadSqlite(path, plan) },
    { name: "PostgreSQL", url: await server.createDatabase(), load: (url: string) => loadPostgres(url, plan) },
  ];
  const summary: Record<string, unknown> = { messages: plan.sessions * plan.messagesEach, sessions: plan.sessions };
  let failed = false;
  for (const { name, url, load } of databases) {
    if (only !== undefined && name.toLowerCase() !== only.toLowerCase()) continue;
    await (await openStore({ url })).close();
    const started = performance.now();
    await load(url);
    console.log(`\n${name}: ${plan.sessions * plan.messagesEach} messages loaded in ${seconds(started)} s`);
    const { measures, loopMs } = await benchmark(url);
    printTable(
      measures.map(({ what, p50, p99, most, perSecond }) => ({
        [name]: what,
        "p50 ms": p50.toFixed(2),
        "p99 ms": p99.toFixed(2),
        "max ms": most.toFixed(1),
        "per second": perSecond.toFixed(0),
      })),
    );
    console.log(`event loop delay p99 ${loopMs.toFixed(1)} ms; load average ${loadavg()[0]!.toFixed(1)}`);
    const p99 = (what: string) => measures.find((found) => found.what === what)?.p99 ?? Number.NaN;
    failed ||= !(p99("context read") <= aim.contextP99Ms);
    summary[name] = Object.fromEntries(
      measures.map(({ what, p50, p99: high }) => [what, [round(p50), round(high)]] as const),
    );
  }
  console.log(`RESULT ${JSON.stringify({ ...summary, aim, met: !failed })}`);
  process.exitCode = failed ? 1 : 0;
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
