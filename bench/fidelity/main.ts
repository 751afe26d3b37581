/**
 * What survives a fold: every preset of ours, simple baselines and the libraries people use, on recorded conversations,
 * at exact o200k budgets, each through the door its users call. `--quick` samples every set at 10:1.
 *
 *   --quick  --sets=a,b  --ratios=2,5,10,20  --only=name,name  --leave-out=set  --skip=rules,replay  --write
 */
import { Worker } from "node:worker_threads";
import { installPeers } from "../../packages/core/bench/install-peers.ts";
import { baselines } from "./baselines.ts";
import { checkResults } from "./check.ts";
import { dataFolder, loadSet, setNames } from "./data.ts";
import { mergeResults, type SetResult } from "./measure-set.ts";
import { ours } from "./ours.ts";
import { peerNames, peersFolder } from "./peers.ts";
import { printResults, summaryOf } from "./report.ts";
import { digestSpeed, withPauses } from "./sessions.ts";
import type { Job, Results } from "./worker.ts";
import { writeDocs } from "./write-docs.ts";

const flag = (name: string) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1];
const list = (name: string) =>
  flag(name)
    ?.split(",")
    .filter((one) => one !== "");

const quick = process.argv.includes("--quick");
const ratios = list("ratios")?.map(Number) ?? (quick ? [10] : [2, 5, 10, 20]);
const only = list("only");
const skipped = new Set(list("skip"));
const sets = list("sets");
/** Largest first, so that the threads end together. */
const order = ["coding", "pi-mono", "locomo", "qmsum", "tau-bench"];

const names = setNames().filter((name) => sets?.some((wanted) => name.startsWith(wanted)) ?? true);
if (names.length === 0) notMeasured(`No *.jsonl.gz in ${dataFolder}; name a folder of conversations in MIDFOLD_DATA.`);

const isQuick = (name: string) =>
  name === "sliding window" ||
  !(
    /window$|filled$|sandwich|middle-out|masking|chat \+|foresight/.test(name) ||
    peerNames.some((peer) => peer === name)
  );
const contestants = [...ours.map(({ name }) => name), ...baselines.map(({ name }) => name), ...peerNames].filter(
  (name) => only?.includes(name) ?? (!quick || isQuick(name)),
);
const presets = contestants.filter((name) => ["agent", "chat", "compact", "sandwich", "proxy"].includes(name));

const place = (name: string) =>
  (order.findIndex((start) => name.startsWith(start)) + order.length + 1) % (order.length + 1);
const jobs: Job[] = names
  .sort((a, b) => place(a) - place(b))
  .flatMap((name) => {
    const parts = !quick && place(name) < order.length ? 4 : 1;
    return Array.from({ length: parts }, (_, number): Job => ({ kind: "set", name, part: { number, of: parts } }));
  });
if (names.some((name) => name.startsWith("coding"))) {
  const simple = ["sliding window", "ledger"].filter((name) => contestants.includes(name));
  for (const name of presets) jobs.push({ kind: "rules", name });
  for (const name of [...presets, ...simple]) jobs.push({ kind: "handOver", name });
  for (const name of presets) jobs.push({ kind: "generations", name });
  const batches = ["sliding window in batches to 50 %", "ledger in batches to 40 %"];
  const paused = ["agent", "proxy"].filter((name) => presets.includes(name)).flatMap(withPauses);
  const policies = quick ? presets.slice(0, 1) : ["no limit", "sliding window", ...batches, ...presets, ...paused];
  for (const name of policies) jobs.push({ kind: "replay", name });
}
if (names.some((name) => name.startsWith("locomo"))) {
  const simple = ["digest", "sliding window", "ledger", "idf density"].filter((name) => contestants.includes(name));
  for (const name of [...presets, ...simple]) jobs.push({ kind: "longAnswers", name });
}
if (sets === undefined) {
  const simple = ["digest", "sliding window", "ledger", "middle-out"].filter((name) => contestants.includes(name));
  for (const name of [...presets, ...simple]) jobs.push({ kind: "lastWords", name });
}
if (names.includes("pi-mono")) jobs.push({ kind: "summaries", name: "pi-mono" });

const started = performance.now();
const results: Results = {
  set: {},
  rules: {},
  handOver: {},
  generations: {},
  replay: {},
  longAnswers: {},
  lastWords: {},
  summaries: {},
};
const queue = jobs.filter(({ kind }) => !skipped.has(kind));
// Before the threads start: two that installed them at once removed each other's files.
if (contestants.some((name) => peerNames.some((peer) => peer === name))) await installPeers(peersFolder);
await Promise.all([runJobs(), runJobs()]).catch((error: Error) => {
  // A stack says nothing to somebody whose file has another format.
  const unreadable = /[^\n]*A set is gzip JSONL[^\n]*/.exec(error.message);
  if (unreadable === null) throw error;
  notMeasured(unreadable[0]);
});

function notMeasured(why: string): never {
  console.log(`fidelity: not measured. ${why}`);
  console.log(`RESULT ${JSON.stringify({ bench: "fidelity", measured: false })}`);
  process.exit(1);
}

function take(name: string, result: SetResult): void {
  const known = results.set[name];
  results.set[name] = known === undefined ? result : mergeResults([known, result]);
}

/** A thread that takes one job after another. */
function runJobs(): Promise<void> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData: { quick, ratios, contestants },
  });
  return new Promise((resolve, reject) => {
    const next = () => {
      const job = queue.shift();
      if (job === undefined) {
        resolve();
        void worker.terminate();
        return;
      }
      const begun = performance.now();
      worker.once("message", ({ result, error }: { result?: unknown; error?: string }) => {
        if (error !== undefined) {
          reject(new Error(`${job.kind} ${job.name}: ${error}`));
          return;
        }
        if (job.kind === "set") take(job.name, result as SetResult);
        else (results[job.kind] as Record<string, unknown>)[job.name] = result;
        process.stderr.write(`${job.kind} ${job.name}: ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
        next();
      });
      worker.postMessage(job);
    };
    worker.once("error", reject);
    next();
  });
}

const coding = names.find((name) => name.startsWith("coding"));
const speed = coding === undefined || skipped.has("speed") ? undefined : digestSpeed(loadSet(coding).conversations);
const seconds = Math.round((performance.now() - started) / 1000);
const run = { results, contestants, ratios, quick, leaveOut: list("leave-out") ?? [], speed, seconds };
printResults(run);
const problems = checkResults(run);
if (problems.length > 0) console.log(`\n${problems.length} problems:`);
for (const problem of problems.slice(0, 40)) console.log(`  ${problem}`);
if (problems.length > 40) console.log(`  … and ${problems.length - 40} more`);
if (process.argv.includes("--write")) writeDocs(run);
console.log(`\n${seconds} s`);
console.log(
  `RESULT ${JSON.stringify({ bench: "fidelity", measured: true, ...summaryOf(run), problems: problems.length, seconds })}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
