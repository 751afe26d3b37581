import { Agent, request as send } from "node:http";

export interface Target {
  readonly name: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Microseconds of processor time the program has used. */
  readonly cpu: () => number;
}

export interface Measured {
  readonly requests: number;
  readonly errors: number;
  readonly perSecond: number;
  /** Milliseconds to the end of the answer. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds to its first byte. */
  readonly firstByteP50: number;
  /** Processor time per request, in microseconds: the figure that other programs on the machine disturb least. */
  readonly cpuPerRequest: number;
}

/** Closed loop: `clients` callers, each with one request at a time, for `ms` milliseconds. */
export async function measureLoad(
  target: Target,
  bodies: () => Buffer,
  clients: number,
  ms: number,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const total: number[] = [];
  const first: number[] = [];
  let errors = 0;
  const usedBefore = target.cpu();
  const startedAt = performance.now();
  const until = startedAt + ms;
  const once = () =>
    new Promise<void>((resolve) => {
      const body = bodies();
      const sentAt = performance.now();
      let begun = 0;
      const request = send(
        {
          host: "127.0.0.1",
          port: target.port,
          path: target.path,
          method: "POST",
          agent,
          headers: { "content-type": "application/json", "content-length": body.length, ...target.headers },
        },
        (response) => {
          let size = 0;
          let said = "";
          response.on("data", (chunk: Buffer) => {
            if (size === 0) begun = performance.now() - sentAt;
            size += chunk.length;
            if (response.statusCode !== 200 && said.length < 300) said += chunk.toString();
          });
          response.on("end", () => {
            if (response.statusCode !== 200 || size === 0) {
              if (errors++ === 0)
                console.log(`  ${target.name} answered ${response.statusCode}: ${said.slice(0, 300)}`);
            }
            total.push(performance.now() - sentAt);
            first.push(begun);
            resolve();
          });
          response.on("error", () => {
            errors++;
            resolve();
          });
        },
      );
      request.on("error", () => {
        errors++;
        resolve();
      });
      request.end(body);
    });
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) await once();
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return {
    requests: total.length,
    errors,
    perSecond: total.length / seconds,
    p50: quantile(total, 0.5),
    p99: quantile(total, 0.99),
    firstByteP50: quantile(first, 0.5),
    cpuPerRequest: (target.cpu() - usedBefore) / Math.max(1, total.length),
  };
}

export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}
