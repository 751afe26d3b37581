import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** These settings are only known to work with the engine of Node 24; others complain about unknown ones. */
const isKnownEngine = process.versions.v8.startsWith("13.");

/**
 * By default every 64 MB of request bodies, still in use or not, start a collection of the whole heap, which takes a
 * quarter of the time with long conversations. Here the heap and those bodies together may grow by 30 %, and by 64 MB
 * in any case (`createGrowthLimit`), before a collection; without this limit they grow to four times what is in use.
 *
 * The engine's own collection after eight seconds of rest is switched off: it drops compiled code with the shapes of the
 * objects that only running requests have, and the next thousands of requests take twice the processor time.
 * `returnMemoryAtRest` does it after longer rests.
 */
export function tuneMemory(): void {
  if (isKnownEngine) for (const flag of engineFlags(process.uptime())) setFlagsFromString(flag);
}

/** For a process of this age. */
export function engineFlags(seconds: number): readonly string[] {
  return [
    // `--no-memory-reducer` is read only before the engine starts. To lower this limit while the engine collects at rest
    // ends the process; the first such collection comes after eight seconds.
    ...(seconds < youngSeconds ? ["--memory-reducer-gc-count=0"] : []),
    "--external-memory-accounted-in-global-limit",
    `--heap-growing-percent=${leastGrowth}`,
  ];
}

const youngSeconds = 6;
/** In percent. */
const leastGrowth = 30;
/**
 * In bytes. The bodies of a few hundred requests are 30 % of a small heap, and each collection of the whole heap takes
 * as much processor time as serving them. A large heap has this much room anyway.
 */
const enoughGrowth = 64_000_000;

/**
 * Frees what loading the program and building its tables left behind, 60 MB that an idle process would keep; and again
 * after every load, once there is nothing to do. The first time takes a tenth of a second, before any request is
 * served.
 */
export function returnMemoryAtRest(): void {
  if (!isKnownEngine) return;
  let stopWatching = restart();
  let atRest = process.memoryUsage.rss();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > idleShare || process.memoryUsage.rss() < atRest * worthwhile) return;
    stopWatching();
    stopWatching = restart();
    atRest = process.memoryUsage.rss();
  }, lookEveryMs).unref();
}

/** Often enough to free memory after a busy day, seldom enough that compiled code is still there for the next burst. */
const lookEveryMs = 600_000;
/** Share of the time since the last check. */
const idleShare = 0.01;
const worthwhile = 1.2;

function restart(): () => void {
  collectEverything();
  const limitNew = createNewObjectsLimit();
  const limitGrowth = createGrowthLimit();
  const look = setInterval(() => {
    limitNew();
    limitGrowth();
  }, 200).unref();
  return () => clearInterval(look);
}

function collectEverything(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/**
 * The space for new objects grows under load, by doubling. It is limited to a quarter of what it would reach: twice that
 * saves up to 13 % of the processor time and takes 20 to 45 MB more, half of it takes 7 to 20 % more processor time. Limited
 * here and not by `--max-semi-space-size`, which works on the command line only: `npx midfold` has none. It may grow again
 * after the engine has shrunk it while idle.
 */
function createNewObjectsLimit(): () => void {
  let factor = 0;
  return () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    const wanted = space === undefined || space.physical_space_size < enoughForNewObjects ? 2 : 1;
    if (wanted !== factor) setFlagsFromString(`--semi-space-growth-factor=${wanted}`);
    factor = wanted;
  };
}

/** In bytes. Above 8.4 MB and below 16.8, which are two of its sizes: the second is the last one it grows to. */
const enoughForNewObjects = 12_000_000;

/** Keeps the room between two collections of the whole heap at `enoughGrowth` or more. */
function createGrowthLimit(): () => void {
  let percent = leastGrowth;
  return () => {
    const { used_heap_size, external_memory } = getHeapStatistics();
    const wanted = Math.max(leastGrowth, Math.round((10 * enoughGrowth) / (used_heap_size + external_memory)) * 10);
    if (wanted !== percent) setFlagsFromString(`--heap-growing-percent=${wanted}`);
    percent = wanted;
  };
}
