// One tokenizer in a process of its own: `child.ts load <tokenizer>` or `child.ts stall <tokenizer> <text>`.
import { pathological } from "./pathological.ts";
import { tokenizers } from "./tokenizers.ts";

const [task, name = "", which = ""] = process.argv.slice(2);
const sample = 'Loading is done when the first text is counted: 42 tokens or so, naïve café, 你好, {"a": 1}.';

globalThis.gc?.();
const before = process.memoryUsage();
const cpuBefore = process.cpuUsage();
const start = performance.now();
const count = await tokenizers[name]!();
count(sample);
const wallMs = performance.now() - start;
const cpu = process.cpuUsage(cpuBefore);
globalThis.gc?.();
const after = process.memoryUsage();

if (task === "load") {
  const held = (usage: NodeJS.MemoryUsage) => usage.heapUsed + usage.external;
  report({
    wallMs,
    cpuMs: (cpu.user + cpu.system) / 1000,
    rssMb: (after.rss - before.rss) / 1e6,
    heldMb: (held(after) - held(before)) / 1e6,
  });
} else {
  const text = pathological[which]!();
  count("A few words first, so that everything is compiled. ".repeat(2000));
  const from = process.threadCpuUsage();
  let tokens: number | string;
  try {
    tokens = count(text);
  } catch (error) {
    tokens = String(error);
  }
  const { user, system } = process.threadCpuUsage(from);
  report({ ms: (user + system) / 1000, tokens });
}

function report(value: unknown): void {
  console.log(`CHILD ${JSON.stringify(value)}`);
}
