import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Only the engine of Node 24 is known to take these settings; others complain about what they do not know. */
const isKnownEngine = process.versions.v8.startsWith("13.");

/**
 * By default every 64 MB of request bodies, dead or alive, start a collection of the whole heap: a quarter of the time
 * with long conversations. Instead the heap and those bodies together may grow by 30 % before they are collected; left to
 * itself it takes four times what is in use.
 */
export function tuneMemory(): void {
  if (!isKnownEngine) return;
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  setFlagsFromString("--heap-growing-percent=30");
}

/**
 * Gives back what loading the program and building its tables left behind, 60 MB that the engine would keep for as long
 * as nothing happens; and the same after every load, once there is nothing to do. The first time takes a tenth of a
 * second, before anybody is served.
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

/** Often enough to give memory back after the day, seldom enough that code compiled under load is there for the next burst. */
const lookEveryMs = 600_000;
/** Of the time since the last look. */
const idleShare = 0.01;
const worthwhile = 1.2;

function restart(): () => void {
  collectEverything();
  return limitNewObjects();
}

function collectEverything(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/**
 * Room for new objects grows while there is load. It is stopped where more is not faster: at a third of the size it would
 * reach by itself. Stopped at its first size, small requests take half as long again; so it may grow again after the engine
 * has made it small in a quiet minute.
 */
function limitNewObjects(): () => void {
  let factor = 0;
  const look = setInterval(() => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    const wanted = space === undefined || space.physical_space_size < enoughForNewObjects ? 2 : 1;
    if (wanted !== factor) setFlagsFromString(`--semi-space-growth-factor=${wanted}`);
    factor = wanted;
  }, 200).unref();
  return () => clearInterval(look);
}

/** In bytes. */
const enoughForNewObjects = 40_000_000;
