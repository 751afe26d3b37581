// Asks /healthz again and again in a separate thread, so that the attacker's own work does not delay it.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** The slowest answer, in milliseconds. */
export interface SlowestHealth {
  /** As a client sees it. */
  readonly took: number;
  /** Processor time that the server's event loop used meanwhile, which other programs on the machine do not change. */
  readonly held: number;
}

interface Watched {
  readonly url: string;
  readonly pid: number;
}

/** Starts asking; the function it resolves with stops and says what was slowest. */
export async function watchHealth(watched: Watched): Promise<() => Promise<SlowestHealth>> {
  const worker = new Worker(new URL(import.meta.url), { workerData: watched });
  const failed = new Promise<never>((_, reject) => worker.once("error", reject));
  failed.catch(() => undefined);
  const next = () => Promise.race([failed, new Promise<SlowestHealth>((resolve) => worker.once("message", resolve))]);
  await next();
  return async () => {
    const slowest = next();
    worker.postMessage("stop");
    try {
      return await slowest;
    } finally {
      await worker.terminate();
    }
  };
}

async function watch({ url, pid }: Watched): Promise<void> {
  let running = true;
  parentPort?.once("message", () => (running = false));
  const agent = new Agent({ keepAlive: true });
  let slowest: SlowestHealth = { took: await ask(url, agent), held: 0 };
  parentPort?.postMessage(slowest);
  slowest = { took: 0, held: 0 };
  while (running) {
    const before = usedBy(pid);
    const took = await ask(url, agent);
    const held = before === undefined ? took : (usedBy(pid) ?? 0) - before;
    if (held > slowest.held) slowest = { took, held };
    await delay(5);
  }
  parentPort?.postMessage(slowest);
}

/** Processor time of a program's main thread so far, in milliseconds; undefined where the system does not report it. */
function usedBy(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return undefined;
  }
}

function ask(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const asked = request(`${url}/healthz`, { timeout: 30_000, agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(performance.now() - began));
    });
    asked.on("error", reject);
    asked.on("timeout", () => asked.destroy(new Error("no answer")));
    asked.end();
  });
}

if (!isMainThread) await watch(workerData as Watched);
