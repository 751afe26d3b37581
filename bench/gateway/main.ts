// npm run bench:gateway: Midfold beside a direct call, a bare proxy and a peer, in one run, interleaved. Midfold runs as
// shipped (database, request log and log lines on, windows as models have them) and, for comparison, without those.
// BENCH_ONLY=small runs the scenarios whose names contain that. Two hundred conversations take turns, each
// longer every time it comes by, so nothing is measured on a body that was seen before.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type GrowingOptions, growingBodies, type Protocol, pathOf } from "./bodies.ts";
import { type Measured, measureLoad, quantile, type Target } from "./measure-load.ts";
import { startPortkey } from "./start-portkey.ts";
import { type Running, startProcess } from "./start-process.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
/** By requests, not by time: on a busy machine seconds pass before code that serves thousands of requests is compiled. */
const warmRequests = Number(process.env.BENCH_WARM ?? 15_000);
const longestWarmMs = 30_000;
const roundMs = Number(process.env.BENCH_ROUND_MS ?? 1_200);
const protocols: readonly Protocol[] = ["openai-chat", "anthropic-messages", "openai-responses"];
/** What the upstreams of the translation rows are called as models. */
const modelOf: Readonly<Record<Protocol, string>> = {
  "openai-chat": "chat-model",
  "anthropic-messages": "anthropic-model",
  "openai-responses": "responses-model",
};

interface Scenario {
  readonly name: string;
  readonly clients: number;
  readonly targets: readonly { readonly target: Target; readonly bodies: () => Buffer }[];
}

const folder = mkdtempSync(join(tmpdir(), "midfold-bench-"));
const running: Running[] = [];
const said = new Set<string>();
const keep = (process: Running) => {
  running.push(process);
  return process;
};

try {
  const upstream = keep(await startProcess([here("mock-upstream.ts")], { ready: /READY (\d+)/ }));
  const bare = keep(
    await startProcess([here("bare-proxy.ts"), String(upstream.port), "pass"], { ready: /READY (\d+)/ }),
  );
  const parsing = keep(
    await startProcess([here("bare-proxy.ts"), String(upstream.port), "parse"], { ready: /READY (\d+)/ }),
  );
  const portkey = await startPortkey(upstream.port);
  if (typeof portkey === "string") console.log(`Portkey is left out: ${portkey}`);
  else keep(portkey);
  // Once for the files without types that it leaves behind.
  await (await startMidfold(upstream.port, "first")).stop();
  const midfold = keep(await startMidfold(upstream.port, "shipped"));
  const quiet = keep(await startMidfold(upstream.port, "quiet"));
  const atRest = await settled(midfold);

  const path = "/v1/chat/completions";
  const direct: Target = { name: "direct", port: upstream.port, path, headers: {}, cpu: upstream.cpu };
  const passing: Target = { name: "bare proxy", port: bare.port, path, headers: {}, cpu: bare.cpu };
  const reparsing: Target = {
    name: "bare proxy, parses",
    port: parsing.port,
    path,
    headers: {},
    cpu: parsing.cpu,
  };
  const ours: Target = { name: "midfold", port: midfold.port, path, headers: {}, cpu: midfold.cpu };
  const without: Target = { ...ours, name: "midfold, no database or log", port: quiet.port, cpu: quiet.cpu };
  const peer: Target[] =
    typeof portkey === "string"
      ? []
      : [
          {
            name: "portkey",
            port: portkey.port,
            path,
            cpu: portkey.cpu,
            headers: {
              "x-portkey-provider": "openai",
              "x-portkey-custom-host": `http://127.0.0.1:${upstream.port}/v1`,
              authorization: "Bearer k",
            },
          },
        ];
  const all = [direct, passing, reparsing, ...peer, ours];
  const same = (options: Omit<GrowingOptions, "model">) =>
    all.map((target) => ({ target, bodies: growingBodies({ ...options, model: "gpt-4o" }) }));
  const folding = (name: string, options: GrowingOptions) => ({
    target: { ...ours, name },
    bodies: growingBodies(options),
  });
  const every: Scenario[] = [
    { name: "small JSON, 1 client", clients: 1, targets: same({ bytes: 600 }) },
    {
      name: "small JSON, 32 clients",
      clients: 32,
      targets: [...same({ bytes: 600 }), { target: without, bodies: growingBodies({ bytes: 600, model: "gpt-4o" }) }],
    },
    {
      name: "100 KB conversations in 128k, 4 clients",
      clients: 4,
      targets: [
        ...same({ bytes: 100_000 }),
        folding("midfold, folds to 16k", { bytes: 100_000, conversations: 20, model: "folds-16k" }),
      ],
    },
    {
      name: "1 MB conversations in 1M, 2 clients",
      clients: 2,
      targets: [
        ...all.map((target) => ({
          target,
          bodies: growingBodies({ model: "gpt-4.1", bytes: 1_000_000, conversations: 20 }),
        })),
        folding("midfold, folds to 128k", { bytes: 1_000_000, conversations: 20, model: "gpt-4o" }),
      ],
    },
    { name: "stream of 20 x 10 ms, 20 clients", clients: 20, targets: same({ bytes: 600, stream: true }) },
    {
      name: "20 KB conversations translated, 4 clients",
      clients: 4,
      targets: protocols.flatMap((from) =>
        protocols.map((to) => ({
          target: { ...ours, name: `${short(from)} to ${short(to)}`, path: pathOf[from] },
          bodies: growingBodies({ model: modelOf[to], bytes: 20_000, protocol: from }),
        })),
      ),
    },
  ];

  const scenarios = every.filter(({ name }) => name.includes(process.env.BENCH_ONLY ?? ""));

  // Everyone gets time to warm up: compiled code is what serves a thousand requests a second, not the first hundred.
  for (const target of [...all, without]) {
    const bodies = growingBodies({ model: "gpt-4o", bytes: 600 });
    const until = performance.now() + longestWarmMs;
    for (let sent = 0; sent < warmRequests && performance.now() < until && !hasDied(target); ) {
      sent += (await measureLoad(target, bodies, 16, 500)).requests;
    }
  }

  const results = new Map<string, Map<string, Measured[]>>();
  const memory: string[] = [`at rest ${atRest}`, `warm ${midfold.memory()}`];
  for (const scenario of scenarios) {
    const rows = new Map<string, Measured[]>(scenario.targets.map(({ target }) => [target.name, []]));
    results.set(scenario.name, rows);
    for (let round = 0; round < rounds; round++) {
      for (const { target, bodies } of rotate(scenario.targets, round)) {
        const measured = hasDied(target) ? undefined : await measureLoad(target, bodies, scenario.clients, roundMs);
        if (measured === undefined || hasDied(target)) rows.delete(target.name);
        else rows.get(target.name)?.push(measured);
      }
    }
    print(scenario.name, rows);
    memory.push(`after ${scenario.name} ${midfold.memory()}`);
  }
  console.log(`\nmemory of Midfold, MB: ${memory.join("; ")}`);
  if (typeof portkey !== "string" && !portkey.hasEnded())
    console.log(`memory of Portkey at the end, MB: ${portkey.memory()}`);
  const verdict = judge(results, atRest);
  for (const { aim, value, ok } of verdict.aims) console.log(`${ok ? "ok  " : "MISS"}  ${aim}: ${value}`);
  console.log(`RESULT ${JSON.stringify({ bench: "gateway", rounds, roundMs, ...verdict })}`);
  process.exitCode = verdict.ok ? 0 : 1;
} finally {
  for (const process of running.reverse()) await process.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Whether a program has ended by itself, which is said once. What was measured of it is left out; Midfold must not end. */
function hasDied({ name, port }: Target): boolean {
  const program = running.find((candidate) => candidate.port === port);
  if (program === undefined || !program.hasEnded()) return false;
  if (name !== "portkey") throw new Error(`${name} ended during the measurement.`);
  if (!said.has(name)) console.log(`${name} ended during the measurement: it is left out.`);
  said.add(name);
  return true;
}

/** Memory once what starting left behind has been cleared away, the thread that read the database included. */
async function settled(process: Running): Promise<number> {
  await sleep(12_000);
  for (let before = process.memory(); ; before = process.memory()) {
    await sleep(1_500);
    if (process.memory() >= before - 1) return process.memory();
  }
}

async function startMidfold(upstreamPort: number, kind: "first" | "shipped" | "quiet"): Promise<Running> {
  const home = join(folder, kind);
  mkdirSync(home);
  const config = join(home, "midfold.yaml");
  writeFileSync(
    config,
    JSON.stringify({
      ...(kind === "quiet" ? { server: { database: "none", logLevel: "warn" } } : {}),
      upstreams: {
        mock: { baseUrl: `http://127.0.0.1:${upstreamPort}/v1`, protocol: "openai-chat" },
        anthropic: { baseUrl: `http://127.0.0.1:${upstreamPort}`, protocol: "anthropic-messages" },
        responses: { baseUrl: `http://127.0.0.1:${upstreamPort}/v1`, protocol: "openai-responses" },
      },
      routes: [
        { model: "gpt-*", upstream: "mock" },
        { model: "folds-16k", upstream: "mock", upstreamModel: "gpt-4o", window: 16_000 },
        { model: modelOf["openai-chat"], upstream: "mock", upstreamModel: "gpt-4o" },
        { model: modelOf["anthropic-messages"], upstream: "anthropic", upstreamModel: "claude-opus-4-5" },
        { model: modelOf["openai-responses"], upstream: "responses", upstreamModel: "gpt-4o" },
      ],
    }),
  );
  // Without the program that takes types out, which no packed Midfold has in memory either.
  const node = ["--import", here("../../scripts/strip-once.mjs"), here("../../packages/cli/src/main.ts")];
  return startProcess([...node, "serve", "--port", "0", "--config", config], {
    ready: /Midfold \S+\s+http:\/\/127\.0\.0\.1:(\d+)/,
    cwd: home,
  });
}

function short(protocol: Protocol): string {
  return protocol.split("-")[1]!;
}

/** Nobody always goes first. */
function rotate<TItem>(items: readonly TItem[], by: number): TItem[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function median(rows: readonly Measured[] | undefined, field: keyof Measured): number {
  const values = (rows ?? []).map((row) => row[field]);
  return quantile(values, 0.5);
}

function print(name: string, rows: ReadonlyMap<string, readonly Measured[]>): void {
  console.log(`\n${name} (median of ${rounds} rounds)`);
  const heads = ["req/s", "p50 ms", "p99 ms", "ttfb p50", "cpu us", "errors"];
  console.log(`  ${"".padEnd(28)}${heads.map((head) => head.padStart(10)).join("")}`);
  for (const [target, measured] of rows) {
    const errors = measured.reduce((sum, row) => sum + row.errors, 0);
    const figures = [
      median(measured, "perSecond").toFixed(0),
      median(measured, "p50").toFixed(2),
      median(measured, "p99").toFixed(1),
      median(measured, "firstByteP50").toFixed(2),
      median(measured, "cpuPerRequest").toFixed(0),
      String(errors),
    ];
    console.log(`  ${target.padEnd(28)}${figures.map((figure) => figure.padStart(10)).join("")}`);
  }
}

function judge(results: ReadonlyMap<string, ReadonlyMap<string, readonly Measured[]>>, atRest: number) {
  const of = (scenario: string, target: string, field: keyof Measured) =>
    median(results.get(scenario)?.get(target), field);
  const aims: { readonly aim: string; readonly value: string; readonly ok: boolean }[] = [];
  // What was not measured is neither reached nor missed.
  const add = (aim: string, value: number, ok: boolean, unit = "") => {
    if (!Number.isNaN(value)) aims.push({ aim, value: `${value.toFixed(2)}${unit}`, ok });
  };
  const small = "small JSON, 32 clients";
  const perSecond = of(small, "midfold", "perSecond");
  const overPeer = perSecond / of(small, "portkey", "perSecond");
  add("as shipped: throughput over Portkey, small JSON (aim 4)", overPeer, overPeer >= 4, " x");
  const ofQuiet = (100 * perSecond) / of(small, "midfold, no database or log", "perSecond");
  add("as shipped: share of the throughput without database and log (aim 80 %)", ofQuiet, ofQuiet >= 80, " %");
  const ofBare = (100 * perSecond) / of(small, "bare proxy", "perSecond");
  add("throughput of the bare proxy's, small JSON (aim 60 %)", ofBare, ofBare >= 60, " %");
  const added = of("small JSON, 1 client", "midfold", "p50") - of("small JSON, 1 client", "direct", "p50");
  add("added p50, small JSON, 1 client (aim 1.5 ms)", added, added <= 1.5, " ms");
  const rows = results.get("20 KB conversations translated, 4 clients") ?? new Map();
  for (const from of rows.size === 0 ? [] : protocols) {
    const untranslated = median(rows.get(`${short(from)} to ${short(from)}`), "perSecond");
    const others = protocols
      .filter((to) => to !== from)
      .map((to) => median(rows.get(`${short(from)} to ${short(to)}`), "perSecond"));
    const share = (100 * Math.min(...others)) / untranslated;
    add(`${short(from)} translated: share of the untranslated throughput (aim 70 %)`, share, share >= 70, " %");
  }
  add("memory at rest (aim 150 MB)", atRest, atRest <= 150, " MB");
  const errors = [...results.values()].flatMap((rows) =>
    [...rows].flatMap(([name, measured]) => (/^midfold| to /.test(name) ? measured : [])),
  );
  const failed = errors.reduce((sum, row) => sum + row.errors, 0);
  add("errors through Midfold (aim 0)", failed, failed === 0);
  return { ok: aims.every(({ ok }) => ok), aims };
}
