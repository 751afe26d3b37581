import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { RequestRecord } from "../requests/request-record.ts";

export interface Metrics {
  /** Counts a request that has ended. */
  turn(record: RequestRecord): void;
  refused(code: string): void;
  loggedDrop(): void;
  /** Counts requests that are in the figures but not in the stored request log. */
  notStored(count: number): void;
  /** Counts an unexpected error. */
  unexpected(): void;
  /** The Prometheus text. */
  expose(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly inFlight: () => number;
  /** Also the process's own: CPU, memory, event loop lag, garbage collection. */
  readonly process: boolean;
}

const waits = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const delays = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

const timings = {
  total: { name: "midfold_request_seconds", help: "From the head of the request to the last byte of the reply" },
  overhead: { name: "midfold_overhead_seconds", help: "What Midfold itself added before sending upstream" },
  firstByte: {
    name: "midfold_upstream_first_byte_seconds",
    help: "From sending upstream to the first byte of its answer",
  },
} as const;

type Timings = Readonly<Record<keyof typeof timings, Distribution>>;

/** Requests with the same outcome. */
interface Tally {
  readonly protocol: string;
  readonly status: string;
  readonly stream: string;
  readonly outcome: string;
  requests: number;
}

/**
 * No label ever contains what a client chose freely: with models and keys as labels one caller could fill the memory. A
 * request only adds to a few numbers; labels are made when the metrics are read, since doing it per request would cost
 * more than reading the request.
 */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.process) collectDefaultMetrics({ register: registry });
  const tallies = new Map<string, Tally>();
  const timed = new Map<string, Timings>();
  const tokens = { received: 0, sent: 0, billed_input: 0, billed_output: 0 };
  let retries = 0;

  new Counter({
    name: "midfold_requests_total",
    help: "Requests through the gateway",
    labelNames: ["protocol", "status", "stream"],
    registers,
    collect() {
      this.reset();
      for (const { protocol, status, stream, requests } of tallies.values()) {
        this.inc({ protocol, status, stream }, requests);
      }
    },
  });
  new Counter({
    name: "midfold_folds_total",
    help: "How requests came to fit: fits, below-minimum, reused, folded, off, impossible",
    labelNames: ["protocol", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { protocol, outcome, requests } of tallies.values()) this.inc({ protocol, outcome }, requests);
    },
  });
  new Counter({
    name: "midfold_tokens_total",
    help: "Input tokens as received and as sent, and as billed by providers",
    labelNames: ["kind"],
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of Object.entries(tokens)) if (count > 0) this.inc({ kind }, count);
    },
  });
  new Counter({
    name: "midfold_overflow_retries_total",
    help: "Requests folded harder and sent again after the upstream said they were too long",
    registers,
    collect() {
      this.reset();
      this.inc(retries);
    },
  });
  const refused = new Counter({
    name: "midfold_refused_total",
    help: "Requests refused before a turn began, by error code",
    labelNames: ["code"],
    registers,
  });
  const drops = new Counter({ name: "midfold_log_lines_dropped_total", help: "Log lines nobody took", registers });
  const notStored = new Counter({
    name: "midfold_requests_not_stored_total",
    help: "Ordinary requests left out of the stored request log under load",
    registers,
  });
  const unexpected = new Counter({
    name: "midfold_unexpected_errors_total",
    help: "Errors nobody foresaw; each ended one request at most",
    registers,
  });
  new Gauge({
    name: "midfold_in_flight",
    help: "Requests in hand",
    registers,
    collect() {
      this.set(options.inFlight());
    },
  });
  return {
    turn: (record) => {
      tallyOf(tallies, record).requests += 1;
      tokens.received += record.tokensBefore;
      tokens.sent += record.tokensAfter;
      tokens.billed_input += record.usage?.input ?? 0;
      tokens.billed_output += record.usage?.output ?? 0;
      if (record.overflowRetried) retries += 1;
      const { total, overhead, firstByte } = timingsOf(timed, record.protocol);
      total.observe(record.totalMs / 1000);
      overhead.observe(record.overheadMs / 1000);
      if (record.upstreamFirstByteMs !== undefined) firstByte.observe(record.upstreamFirstByteMs / 1000);
    },
    refused: (code) => refused.inc({ code }),
    loggedDrop: () => drops.inc(),
    notStored: (count) => notStored.inc(count),
    unexpected: () => unexpected.inc(),
    expose: async () => `${await registry.metrics()}\n${exposeTimings(timed)}`,
    contentType: registry.contentType,
  };
}

function tallyOf(tallies: Map<string, Tally>, { protocol, status, stream, outcome }: RequestRecord): Tally {
  const key = `${protocol} ${status} ${stream} ${outcome}`;
  const known = tallies.get(key);
  if (known !== undefined) return known;
  const tally = { protocol, status: String(status), stream: String(stream), outcome, requests: 0 };
  tallies.set(key, tally);
  return tally;
}

function timingsOf(timed: Map<string, Timings>, protocol: string): Timings {
  const known = timed.get(protocol);
  if (known !== undefined) return known;
  const made = {
    total: createDistribution(waits),
    overhead: createDistribution(delays),
    firstByte: createDistribution(waits),
  };
  timed.set(protocol, made);
  return made;
}

function exposeTimings(timed: ReadonlyMap<string, Timings>): string {
  let text = "";
  for (const kind of Object.keys(timings) as (keyof typeof timings)[]) {
    const { name, help } = timings[kind];
    text += `# HELP ${name} ${help}\n# TYPE ${name} histogram\n`;
    for (const [protocol, kinds] of timed) text += `${kinds[kind].expose(name, `protocol="${protocol}"`)}\n`;
    text += "\n";
  }
  return text;
}

/** How often a figure fell into which range: a Prometheus histogram that costs two additions per figure. */
interface Distribution {
  observe(value: number): void;
  /** Its lines in the Prometheus text format, ranges counted upwards as that format wants them. */
  expose(name: string, labels: string): string;
}

/** `bounds` rise; each range includes its bound. */
function createDistribution(bounds: readonly number[]): Distribution {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe: (value) => {
      let range = 0;
      while (range < bounds.length && value > (bounds[range] as number)) range++;
      counts[range] = (counts[range] as number) + 1;
      sum += value;
    },
    expose: (name, labels) => {
      let below = 0;
      const lines = counts.map((count, range) => {
        below += count;
        return `${name}_bucket{le="${bounds[range] ?? "+Inf"}",${labels}} ${below}`;
      });
      return [...lines, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${below}`].join("\n");
    },
  };
}
