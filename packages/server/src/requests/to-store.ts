import type { Store } from "@midfold/store";
import type { RequestSink } from "./request-log.ts";
import type { RequestRecord } from "./request-record.ts";
import { storedFacts, toStoredContent } from "./stored-facts.ts";

export interface StoreSinkOptions {
  readonly capture: boolean;
  readonly now: () => number;
  /** Called with the number of ordinary requests left out of the stored log since the last call. */
  readonly onLeftOut: (count: number) => void;
}

/** Ordinary requests that are stored in one second; writing more would cost the requests themselves. */
const mostPerSecond = 400;
const tellEveryMs = 10_000;

/**
 * Writes ended requests in the background, in the store's batches, with content only while it is captured. Under load,
 * requests that went through unchanged are stored only up to a rate; folded and failed ones always are.
 */
export function toStore(store: Store, { capture, now, onLeftOut }: StoreSinkOptions): RequestSink {
  const keepsContent = capture && store.requests.keepsContent;
  let second = 0;
  let stored = 0;
  let leftOut = 0;
  let toldAt = now();
  return (record) => {
    const at = now();
    const thisSecond = Math.floor(at / 1_000);
    if (thisSecond !== second) [second, stored] = [thisSecond, 0];
    if (leftOut > 0 && at - toldAt >= tellEveryMs) {
      onLeftOut(leftOut);
      [leftOut, toldAt] = [0, at];
    }
    stored += 1;
    if (stored > mostPerSecond && isOrdinary(record)) leftOut += 1;
    else {
      record.contentStored = keepsContent && record.content !== undefined;
      store.of(record.tenant).requests.write(toEntry(record, keepsContent));
    }
  };
}

/** Whether it was not folded, not refused, did not fail and gave no warning. */
function isOrdinary({ outcome, state, overflowRetried, warnings }: RequestRecord): boolean {
  return (outcome === "fits" || outcome === "off") && state === "done" && !overflowRetried && warnings.length === 0;
}

function toEntry(record: RequestRecord, capture: boolean) {
  return {
    id: record.id,
    ...(record.sessionId === undefined ? {} : { sessionId: record.sessionId }),
    ...(record.keyId === undefined ? {} : { keyId: record.keyId }),
    protocol: record.protocol,
    ...(record.upstream === undefined ? {} : { upstream: record.upstream }),
    model: record.model === "" ? record.requestedModel : record.model,
    action: record.plan === undefined || record.plan.rungs.length === 0 ? record.outcome : record.plan.rungs.join(","),
    status: record.status,
    ...(record.errorCode === undefined ? {} : { errorCode: record.errorCode }),
    messagesBefore: record.messagesBefore,
    messagesAfter: record.messagesAfter,
    tokensBefore: Math.round(record.tokensBefore),
    tokensAfter: Math.round(record.tokensAfter),
    ...(record.usage === undefined
      ? {}
      : {
          inputTokens: record.usage.input,
          outputTokens: record.usage.output,
          cachedTokens: record.usage.cached,
        }),
    ...(record.costMicros === undefined ? {} : { costMicros: Math.round(record.costMicros) }),
    durationMs: Math.round(record.totalMs),
    ...(record.upstreamFirstByteMs === undefined ? {} : { firstByteMs: Math.round(record.upstreamFirstByteMs) }),
    details: storedFacts(record),
    ...(capture && record.content !== undefined ? { content: toStoredContent(record, record.content) } : {}),
  };
}
