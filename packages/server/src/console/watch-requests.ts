import type { FeedEvent } from "../api/console-schemas.ts";
import type { RequestLog } from "../requests/request-log.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import { toSummary } from "./to-summary.ts";

/** How many events a reader may be behind; beyond that the oldest are dropped, since the list can be read again. */
const maxBehind = 1_000;

/** The live feed: what is running, then every start and end, for as long as the client listens. */
export async function* watchRequests(
  log: RequestLog,
  isVisible: (record: RequestRecord) => boolean,
  first: FeedEvent,
  signal: AbortSignal,
): AsyncGenerator<FeedEvent> {
  const waiting: FeedEvent[] = [];
  let wake = () => {};
  const stop = log.subscribe((type, record) => {
    if (!isVisible(record)) return;
    if (waiting.length >= maxBehind) waiting.shift();
    waiting.push({ type, request: toSummary(record) });
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  try {
    yield first;
    while (!signal.aborted) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal.aborted || waiting.length > 0) resolve();
        });
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}
