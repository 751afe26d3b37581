import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface TurnMetrics {
  readonly protocol: string;
  readonly status: number;
  readonly outcome: string;
  readonly stream: boolean;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly seconds: number;
  readonly overheadSeconds: number;
  readonly firstByteSeconds: number | undefined;
  readonly overflowRetried: boolean;
}

export interface Metrics {
  turn(turn: TurnMetrics): void;
  refused(code: string): void;
  loggedDrop(): void;
  /** The Prometheus text. */
  expose(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly inFlight: () => number;
  /** Also the process's own: CPU, memory, event loop lag, garbage collection. */
  readonly process: boolean;
}

const maxWaiting = 2_000;
const seconds = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** No label ever holds what a client chose freely: models and keys would let one caller fill the memory. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.process) collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "midfold_requests_total",
    help: "Requests through the gateway",
    labelNames: ["protocol", "status", "stream"],
    registers,
  });
  const folds = new Counter({
    name: "midfold_folds_total",
    help: "How requests came to fit: fits, below-minimum, reused, folded, off, impossible",
    labelNames: ["protocol", "outcome"],
    registers,
  });
  const tokens = new Counter({
    name: "midfold_tokens_total",
    help: "Input tokens as received and as sent, and as billed by providers",
    labelNames: ["kind"],
    registers,
  });
  const duration = new Histogram({
    name: "midfold_request_seconds",
    help: "From the head of the request to the last byte of the reply",
    labelNames: ["protocol"],
    buckets: seconds,
    registers,
  });
  const overhead = new Histogram({
    name: "midfold_overhead_seconds",
    help: "What Midfold itself added before sending upstream",
    labelNames: ["protocol"],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  const firstByte = new Histogram({
    name: "midfold_upstream_first_byte_seconds",
    help: "From sending upstream to the first byte of its answer",
    labelNames: ["protocol"],
    buckets: seconds,
    registers,
  });
  const retried = new Counter({
    name: "midfold_overflow_retries_total",
    help: "Requests folded harder and sent again after the upstream said they were too long",
    registers,
  });
  const refused = new Counter({
    name: "midfold_refused_total",
    help: "Requests refused before a turn began, by error code",
    labelNames: ["code"],
    registers,
  });
  const drops = new Counter({ name: "midfold_log_lines_dropped_total", help: "Log lines nobody took", registers });
  new Gauge({
    name: "midfold_in_flight",
    help: "Requests in hand",
    registers,
    collect() {
      this.set(options.inFlight());
    },
  });
  // A turn only leaves its figures here; the library sorts them into labels and buckets when somebody looks, or when
  // many have gathered. Doing it per request would cost more than reading the request does.
  let waiting: TurnMetrics[] = [];
  const sortIn = () => {
    const turns = waiting;
    waiting = [];
    for (const turn of turns) {
      const { protocol, outcome } = turn;
      requests.inc({ protocol, status: String(turn.status), stream: String(turn.stream) });
      folds.inc({ protocol, outcome });
      if (turn.tokensBefore > 0) tokens.inc({ kind: "received" }, turn.tokensBefore);
      if (turn.tokensAfter > 0) tokens.inc({ kind: "sent" }, turn.tokensAfter);
      if (turn.inputTokens > 0) tokens.inc({ kind: "billed_input" }, turn.inputTokens);
      if (turn.outputTokens > 0) tokens.inc({ kind: "billed_output" }, turn.outputTokens);
      duration.observe({ protocol }, turn.seconds);
      overhead.observe({ protocol }, turn.overheadSeconds);
      if (turn.firstByteSeconds !== undefined) firstByte.observe({ protocol }, turn.firstByteSeconds);
      if (turn.overflowRetried) retried.inc();
    }
  };
  return {
    turn: (turn) => {
      waiting.push(turn);
      if (waiting.length >= maxWaiting) sortIn();
    },
    refused: (code) => refused.inc({ code }),
    loggedDrop: () => drops.inc(),
    expose: () => {
      sortIn();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
