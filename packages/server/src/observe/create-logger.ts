import { type DestinationStream, destination, type Logger, pino } from "pino";
import { redactText } from "./redact-text.ts";

export interface LoggerOptions {
  readonly level: string;
  /** Where lines go; standard error when absent, so that commands can be piped. */
  readonly stream?: DestinationStream;
  /** Called for each line dropped because the log's reader is blocked. */
  readonly onDrop?: () => void;
}

const secretPaths = ["authorization", "apiKey", "key", "secret", "cookie", "password"].flatMap((name) => [
  name,
  `*.${name}`,
]);

/**
 * Lines are written together after this time, or when there are this many bytes of them, since a write per line costs
 * more than the line itself. A killed process loses at most that much of its log.
 */
const gatherMs = 200;
const gatherBytes = 15 * 1024;

/**
 * One JSON line per event. Lines are buffered, and dropped with a count when the reader is blocked: a blocked log must
 * not stop a request.
 */
export function createLogger(options: LoggerOptions): Logger {
  const stream = options.stream ?? standardError(options.onDrop);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: createTimestamps(),
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: "[redacted]" },
      serializers: { err: describeError },
    },
    stream,
  );
}

function standardError(onDrop: (() => void) | undefined): DestinationStream {
  const sink = destination({
    dest: 2,
    sync: false,
    minLength: gatherBytes,
    periodicFlush: gatherMs,
    maxLength: 4 * 1024 * 1024,
    // As texts, the lines gathered so far would be copied and measured again with every line.
    contentMode: "buffer",
  });
  sink.on("drop", () => onDrop?.());
  // A closed pipe costs log lines, but must not end the process.
  sink.on("error", () => onDrop?.());
  // Its type only knows texts.
  const bytes = sink as unknown as { write(line: Uint8Array): void };
  return { write: (line) => bytes.write(Buffer.from(line)) };
}

/** ISO times; lines of the same millisecond share one, since formatting it costs as much as the rest of a short line. */
function createTimestamps(): () => string {
  let last = 0;
  let text = "";
  return () => {
    const now = Date.now();
    if (now !== last) {
      last = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/**
 * The same log without searching every line for secrets, for request lines that contain nothing but Midfold's own names
 * and figures.
 */
export function plainLines(logger: Logger): Logger {
  return logger.child({}, { redact: [] });
}

/** An error for the log: its whole chain of causes, without secrets. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: redactText(String(error)) };
  const { code, details } = error as { code?: unknown; details?: unknown };
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: redactText(error.message),
    ...(details === undefined ? {} : { details }),
    stack: error.stack === undefined ? undefined : redactText(error.stack),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
