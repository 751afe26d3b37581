// One tokenizer in a process of its own: `child.ts load <tokenizer>` or `child.ts stall <tokenizer> <text>`.
import { pathological } from "./pathological.ts";
import { publishedEncoding, tokenizers } from "./tokenizers.ts";
import { warmUp } from "./warm-up.ts";

const [task, name = "", which = ""] = process.argv.slice(2);
const sample = 'Loading is done when the first text is counted: 42 tokens or so, naïve café, 你好, {"a": 1}.';

globalThis.gc?.();
const before = process.memoryUsage();
const cpuBefore = process.cpuUsage();
const start = performance.now();
const count = await (task === "load" && name === "midfold" ? countAsPublished() : tokenizers[name]!());
count(sample);
const wallMs = performance.now() - start;
const cpu = process.cpuUsage(cpuBefore);
globalThis.gc?.();
const after = process.memoryUsage();

if (task === "load") {
  const held = (usage: NodeJS.MemoryUsage) => usage.heapUsed + usage.external;
  // Node counts shared memory nowhere but in the resident set.
  const shared = name === "midfold" ? await sharedBytes() : 0;
  report({
    wallMs,
    cpuMs: (cpu.user + cpu.system) / 1000,
    rssMb: (after.rss - before.rss) / 1e6,
    heldMb: (held(after) - held(before) + shared) / 1e6,
  });
} else {
  warmUp(count);
  const text = pathological[which]!();
  try {
    const tokens = count(text);
    // Whoever took this long once is not asked again.
    const ms = best(text);
    const prose = name === "midfold" ? await proseText() : "";
    report({ ms, tokens, proseMs: prose === "" ? undefined : (best(prose) * 1e6) / Buffer.byteLength(prose) });
  } catch (error) {
    report({ ms: 0, tokens: String(error) });
  }
}

/** Processor milliseconds, the best of up to five calls. */
function best(text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && least > 0; round++) {
    const from = process.threadCpuUsage();
    count(text);
    const { user, system } = process.threadCpuUsage(from);
    least = Math.min(least, (user + system) / 1000);
    if (least > 500) break;
  }
  return least;
}

// Loaded only here: what corpora come from includes the tokenizer whose loading is measured.
async function proseText(): Promise<string> {
  const { ordinaryCorpora } = await import("./corpora.ts");
  return ordinaryCorpora().find((corpus) => corpus.name === "English prose")?.text ?? "";
}

// The others are loaded as JavaScript too; here Node would first have to strip the types of the sources.
async function countAsPublished() {
  const encoding = await publishedEncoding();
  return (text: string) => encoding.count(text);
}

async function sharedBytes(): Promise<number> {
  const { vocabulary } = await publishedEncoding();
  const tables = Object.values(vocabulary) as { buffer?: ArrayBufferLike }[];
  const buffers = new Set(tables.map((table) => table.buffer).filter((buffer) => buffer instanceof SharedArrayBuffer));
  return [...buffers].reduce((sum, buffer) => sum + buffer.byteLength, 0);
}

function report(value: unknown): void {
  console.log(`CHILD ${JSON.stringify(value)}`);
}
