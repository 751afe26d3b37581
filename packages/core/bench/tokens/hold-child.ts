// How long the event loop is held at a stretch while texts are counted: `hold-child.ts pool` or `hold-child.ts sliced`.
import { setTimeout as wait } from "node:timers/promises";
import { TokenPool } from "../../src/tokens/pool/index.node.ts";
import { SlicedCounts } from "../../src/tokens/pool/sliced-counts.ts";
import { warmCounter } from "../../src/tokens/warm-counter.ts";
import { ordinaryCorpora } from "./corpora.ts";
import { pathological } from "./pathological.ts";

const which = process.argv[2];
const pool = new TokenPool({ deadlineMs: 60_000 });
const counts = which === "pool" ? pool : new SlicedCounts();
const rule = { encoding: "o200k_base" } as const;

const holds: Record<string, number> = { "building the table": await longestHold(() => warmCounter()) };
for (const [name, text] of Object.entries(texts())) {
  holds[name] = await longestHold(async () => {
    const { estimated } = await counts.count(text, rule);
    if (estimated) throw new Error(`${name} was not counted`);
  });
}
await pool.close();
console.log(`CHILD ${JSON.stringify(holds)}`);

/**
 * The most milliseconds between two ticks of a timer that should tick every five: processor time of this thread, or wall
 * time where that is less, because processor time is known to some four milliseconds only.
 */
async function longestHold(run: () => Promise<void>): Promise<number> {
  let longest = 0;
  let lastWall = 0;
  let lastCpu = 0;
  const tick = () => {
    const wall = performance.now();
    const { user, system } = process.threadCpuUsage();
    const cpu = (user + system) / 1000;
    if (lastWall > 0) longest = Math.max(longest, Math.min(wall - lastWall, cpu - lastCpu));
    lastWall = wall;
    lastCpu = cpu;
  };
  const timer = setInterval(tick, 5);
  await wait(12);
  await run();
  await wait(12);
  clearInterval(timer);
  return longest;
}

function texts(): Record<string, string> {
  const all: Record<string, string> = {};
  const ordinary = ordinaryCorpora().map(({ text }) => text);
  if (ordinary.length > 0) {
    let text = "";
    for (let at = 0; text.length < 10_000_000; at++) text += `${at}\n${ordinary[at % ordinary.length]}`;
    all["10 MB of text"] = text;
  }
  for (const [name, make] of Object.entries(pathological)) all[`1 MB: ${name}`] = make();
  // Strings that were put together are made one now, not while they are counted.
  for (const text of Object.values(all)) text.charCodeAt(0);
  return all;
}
