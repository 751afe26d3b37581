import { type Connection, openConnection, requestBytes } from "./connection.ts";

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
  const total: number[] = [];
  const first: number[] = [];
  let errors = 0;
  const usedBefore = target.cpu();
  const startedAt = performance.now();
  const until = startedAt + ms;
  const call = async () => {
    let connection: Connection | undefined;
    while (performance.now() < until) {
      const body = bodies();
      const sentAt = performance.now();
      try {
        connection ??= await openConnection(target.port);
        const answer = await connection.ask(requestBytes(target, body));
        if (answer.status !== 200 || answer.bodyBytes === 0) {
          if (errors++ === 0) console.log(`  ${target.name} answered ${answer.status}: ${answer.said}`);
        }
        first.push(answer.firstByteAt - sentAt);
        total.push(performance.now() - sentAt);
        if (!answer.closes) continue;
      } catch {
        errors++;
      }
      connection?.close();
      connection = undefined;
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: clients }, call));
  const seconds = (performance.now() - startedAt) / 1000;
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
