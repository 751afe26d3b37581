// Speed, load time and memory beside other tokenizers: `npm run bench -w packages/core -- tokens`. Times are the
// thread's processor time where that is fine enough, so that other work on the machine does not count. Fails when a count
// differs from tiktoken's, when a megabyte of anything takes more than ten times a megabyte of prose, or when counting
// holds the event loop for more than 50 ms.
import { packCore } from "../../../scripts/pack-core.ts";
import { type Corpus, ordinaryCorpora } from "./tokens/corpora.ts";
import { measureHolds } from "./tokens/measure-holds.ts";
import { pathological } from "./tokens/pathological.ts";
import { runChild } from "./tokens/run-child.ts";
import { type Count, tokenizers } from "./tokens/tokenizers.ts";
import { warmUp } from "./tokens/warm-up.ts";

interface Speed {
  readonly first: number;
  readonly again: number;
}

interface Stall {
  readonly ms: number;
  readonly tokens: number | string;
  /** What a megabyte of prose takes in the same process. */
  readonly proseMs?: number;
}

const names = Object.keys(tokenizers);
const peers = names.filter((name) => name !== "midfold");
const stallCapMs = 1500;
const problems: string[] = [];
const missed: string[] = [];

const counts = new Map<string, Count>();
for (const name of names) counts.set(name, await tokenizers[name]!());
for (const count of counts.values()) warmUp(count);

const speeds = ordinaryCorpora().map((corpus) => ({ corpus, ...measure(corpus) }));
if (speeds.length === 0)
  problems.push("speed not measured: no corpora here; set MIDFOLD_DATA to the folder of conversations");
printSpeeds();
const stalls = measureStalls();
const { holds, problems: held } = measureHolds();
problems.push(...held);
const loads = measureLoads();

for (const aim of missed) console.log(`aim missed: ${aim}`);
for (const problem of problems) console.log(`FAILED: ${problem}`);
const results = {
  bench: "tokens",
  ok: problems.length === 0,
  missed,
  speeds: speeds.map((row) => ({ corpus: row.corpus.name, ...row.speeds })),
  stalls,
  holds,
  loads,
};
console.log(`RESULT ${JSON.stringify(results)}`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** MB/s of each tokenizer: the first time it sees the text, and the best of later rounds, all taking turns. */
function measure(corpus: Corpus): { bytes: number; speeds: Record<string, Speed> } {
  const bytes = Buffer.byteLength(corpus.text);
  const expected = counts.get("tiktoken")!(corpus.text);
  const first = new Map<string, number>();
  const again = new Map<string, number>();
  for (const [name, count] of counts) first.set(name, timeOnce(corpus.text, count));
  const tokens = counts.get("midfold")!(corpus.text);
  if (tokens !== expected) problems.push(`${corpus.name}: ${tokens} tokens, not ${expected}`);
  for (let round = 0; round < 5; round++) {
    for (const [name, count] of counts) {
      const ms = time(() => count(corpus.text), 40);
      again.set(name, Math.min(ms, again.get(name) ?? Number.POSITIVE_INFINITY));
    }
  }
  const speed = (ms: number) => bytes / 1000 / ms;
  const speeds = Object.fromEntries(
    names.map((name) => [name, { first: speed(first.get(name)!), again: speed(again.get(name)!) }]),
  );
  return { bytes, speeds };
}

/** Processor milliseconds of one call, averaged over as many as take `atLeastMs`. */
function time(call: () => unknown, atLeastMs: number): number {
  const start = process.threadCpuUsage();
  for (let calls = 1; ; calls++) {
    call();
    const { user, system } = process.threadCpuUsage(start);
    const ms = (user + system) / 1000;
    if (ms >= atLeastMs) return ms / calls;
  }
}

/**
 * Milliseconds of counting a text once. Processor time is too coarse for that, so it is wall time, a few lines at a time;
 * a stretch that took more than four times the usual is one in which another process ran, and counts as four times.
 */
function timeOnce(text: string, count: Count): number {
  const stretches: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at + 4000);
    stretches.push(text.slice(at, end < 0 ? text.length : end));
    at = end < 0 ? text.length : end;
  }
  const perUnit = stretches.map((stretch) => {
    const start = performance.now();
    count(stretch);
    return (performance.now() - start) / stretch.length;
  });
  const usual = perUnit.toSorted((a, b) => a - b)[perUnit.length >> 1]!;
  return perUnit.reduce((sum, ms, at) => sum + Math.min(ms, usual * 4) * stretches[at]!.length, 0);
}

function printSpeeds(): void {
  const table = speeds.map(({ corpus, bytes, speeds: row }) => {
    const ours = row.midfold!;
    const times = (key: keyof Speed) => ours[key] / Math.max(...peers.map((peer) => row[peer]![key]));
    for (const key of ["first", "again"] as const) {
      if (times(key) < corpus.aim)
        missed.push(`${corpus.name}, ${key}: ${times(key).toFixed(1)} × the fastest peer, not ${corpus.aim} ×`);
    }
    const cells = names.map((name) => [name, `${row[name]!.first.toFixed(1)} / ${row[name]!.again.toFixed(1)}`]);
    return {
      corpus: corpus.name,
      kB: Math.round(bytes / 1000),
      ...Object.fromEntries(cells),
      "× fastest": `${times("first").toFixed(1)} / ${times("again").toFixed(1)}`,
      aim: corpus.aim,
    };
  });
  console.log("\nMB/s, a text seen the first time / again");
  console.table(table);
}

function measureStalls(): Record<string, Record<string, number | null>> {
  const rows: Record<string, Record<string, number | null>> = {};
  const table: Record<string, Record<string, string>> = {};
  for (const which of Object.keys(pathological)) {
    let proseMs: number | undefined;
    rows[which] = {};
    table[which] = {};
    for (const name of names) {
      const answer = runChild<Stall>(["stall", name, which], name === "midfold" ? 120_000 : stallCapMs + 4500);
      proseMs ??= answer?.proseMs;
      const tooSlow = answer === undefined || answer.ms > stallCapMs;
      rows[which][name] = tooSlow ? null : answer.ms;
      const failed = typeof answer?.tokens === "string" ? "throws" : "";
      table[which][name] = tooSlow ? `> ${stallCapMs} ms` : failed || `${answer.ms.toFixed(0)} ms`;
    }
    const times = proseMs === undefined ? 0 : (rows[which].midfold ?? Number.POSITIVE_INFINITY) / proseMs;
    table[which]["× prose"] = times.toFixed(1);
    if (times > 10 || rows[which].midfold === null)
      problems.push(`1 MB of ${which} takes ${times.toFixed(1)} times a megabyte of prose`);
  }
  console.log("\nMilliseconds for 1 MB of what makes tokenizers stall");
  console.table(table);
  return rows;
}

function measureLoads() {
  packCore();
  const loads = names.map((name) => {
    const runs = [1, 2, 3].map(
      () => runChild<{ wallMs: number; cpuMs: number; rssMb: number; heldMb: number }>(["load", name], 60_000)!,
    );
    const least = (key: "wallMs" | "cpuMs" | "rssMb" | "heldMb") => Math.min(...runs.map((run) => run[key]));
    return { name, wallMs: least("wallMs"), cpuMs: least("cpuMs"), rssMb: least("rssMb"), heldMb: least("heldMb") };
  });
  const [ours, ...others] = loads;
  for (const key of ["cpuMs", "rssMb", "heldMb"] as const) {
    const lightest = Math.min(...others.map((load) => load[key]));
    if (ours![key] > lightest)
      missed.push(`load ${key}: ${ours![key].toFixed(1)}, the lightest peer ${lightest.toFixed(1)}`);
  }
  console.log("\nLoading o200k_base up to the first count, best of three processes");
  console.table(
    Object.fromEntries(
      loads.map(({ name, wallMs, cpuMs, rssMb, heldMb }) => [
        name,
        {
          "wall ms": wallMs.toFixed(0),
          "cpu ms": cpuMs.toFixed(0),
          "RSS + MB": rssMb.toFixed(1),
          "heap + buffers MB": heldMb.toFixed(1),
        },
      ]),
    ),
  );
  return loads;
}
