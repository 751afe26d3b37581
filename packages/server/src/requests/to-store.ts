import type { Store } from "@midfold/store";
import type { RequestSink } from "./request-log.ts";
import { storedFacts } from "./stored-facts.ts";

/** Writes ended requests behind, in the store's own batches. Content goes along only while it is captured. */
export function toStore(store: Store, capture: boolean): RequestSink {
  return (record) => {
    store.of(record.tenant).requests.write({
      id: record.id,
      ...(record.sessionId === undefined ? {} : { sessionId: record.sessionId }),
      ...(record.keyId === undefined ? {} : { keyId: record.keyId }),
      protocol: record.protocol,
      ...(record.upstream === undefined ? {} : { upstream: record.upstream }),
      model: record.model === "" ? record.requestedModel : record.model,
      action:
        record.plan === undefined || record.plan.rungs.length === 0 ? record.outcome : record.plan.rungs.join(","),
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
      ...(capture && record.content !== undefined ? { content: record.content } : {}),
    });
  };
}
