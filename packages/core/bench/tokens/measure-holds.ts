import { runChild } from "./run-child.ts";

const paths = { pool: "worker threads", sliced: "this thread, in slices" } as const;
const mostMs = 50;

/**
 * The longest time the event loop is held while 10 MB of text and a megabyte of each thing that makes tokenizers stall
 * are counted, both ways there are. Says what was above the limit.
 */
export function measureHolds(): { holds: Record<string, Record<string, number>>; problems: string[] } {
  const holds: Record<string, Record<string, number>> = {};
  const problems: string[] = [];
  const table: Record<string, Record<string, string>> = {};
  for (const [path, label] of Object.entries(paths)) {
    const held = runChild<Record<string, number>>([path], 120_000, "hold-child.ts");
    if (held === undefined) throw new Error(`hold-child.ts ${path} took too long`);
    holds[path] = held;
    for (const [text, ms] of Object.entries(held)) {
      table[text] = { ...table[text], [label]: ms.toFixed(1) };
      if (ms > mostMs) problems.push(`${text}, on ${label}: the event loop was held for ${ms.toFixed(0)} ms`);
    }
  }
  console.log(`\nLongest hold of the event loop, milliseconds of processor time (at most ${mostMs})`);
  console.table(table);
  return { holds, problems };
}
