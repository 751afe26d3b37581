import type { OwnedRequest, RequestContent } from "@midfold/store";
import { type CapturedContent, type RequestRecord, startRecord } from "./request-record.ts";

/** Facts of a record that the store has no column for. Message content and error texts are not among them. */
const facts = [
  ...["at", "keyName", "client", "path", "requestedModel", "stream", "state", "upstreamAttempts", "conversationId"],
  ...["outcome", "foldId", "foldBy", "counter", "budget", "window", "windowSource", "exact", "counted", "cacheIsCold"],
  ...["savedMicros", "savedCachedMicros", "rewriteMicros", "summaries", "summaryMicros"],
  ...["foldMs", "overheadMs", "overflowRetried", "compactionRequest", "warnings", "title"],
] as readonly (keyof RequestRecord)[];

export function storedFacts(record: RequestRecord): Record<string, unknown> {
  const stored: Record<string, unknown> = {
    rungs: record.plan?.rungs ?? [],
    reasons: record.plan?.reasons ?? [],
    breakEvenCalls: record.plan?.tokens.breakEvenCalls,
    cacheWrite: record.usage?.cacheWrite ?? 0,
  };
  for (const name of facts) stored[name] = record[name];
  return stored;
}

/** The record of a request of an earlier run, as far as the store keeps it. */
export function recallRecord(logged: OwnedRequest, capture: boolean): RequestRecord {
  const details = logged.details ?? {};
  const { inputTokens, outputTokens, cachedTokens = 0 } = logged;
  const record: Record<string, unknown> = {
    ...startRecord({
      id: logged.id,
      at: logged.at,
      tenant: logged.owner,
      keyId: logged.keyId,
      keyName: undefined,
      client: "unknown",
      protocol: logged.protocol,
      path: "",
    }),
    requestedModel: logged.model,
    model: logged.model,
    state: logged.status < 400 ? "done" : "failed",
    status: logged.status,
    errorCode: logged.errorCode,
    upstream: logged.upstream,
    sessionId: logged.sessionId,
    tokensBefore: logged.tokensBefore,
    tokensAfter: logged.tokensAfter,
    messagesBefore: logged.messagesBefore,
    messagesAfter: logged.messagesAfter,
    usage:
      inputTokens === undefined
        ? undefined
        : {
            input: inputTokens,
            output: outputTokens ?? 0,
            cached: cachedTokens,
            cacheWrite: countIn(details.cacheWrite),
          },
    costMicros: logged.costMicros,
    totalMs: logged.durationMs,
    upstreamFirstByteMs: logged.firstByteMs,
    plan: recallPlan(details),
    // Content of an earlier run is not shown once capture is off.
    contentStored: capture && logged.hasContent,
  };
  // Entries of older versions lack some of these.
  for (const name of facts) if (details[name] !== undefined && details[name] !== null) record[name] = details[name];
  return record as unknown as RequestRecord;
}

/** The words of a request as the store keeps them. */
export function toStoredContent(
  { frames }: RequestRecord,
  { before, after, ...beside }: CapturedContent,
): RequestContent {
  return { before, after, beside: { ...beside, frames } };
}

export interface RecalledContent extends CapturedContent {
  readonly frames: readonly string[];
}

/** Reads it again; entries of older versions have nothing beside the messages. */
export function recallContent({ before, after, beside }: RequestContent): RecalledContent {
  return { frames: [], ...(beside as Partial<RecalledContent> | undefined), before, after };
}

/** The reasons and rungs; the decision about every single message is not stored. */
function recallPlan({ rungs, reasons, breakEvenCalls }: Readonly<Record<string, unknown>>): RequestRecord["plan"] {
  if (!Array.isArray(rungs) || !Array.isArray(reasons) || rungs.length === 0) return undefined;
  const paysOff = typeof breakEvenCalls === "number" ? { breakEvenCalls } : {};
  const tokens = { before: 0, after: 0, budget: 0, target: 0, fixed: 0, ...paysOff };
  return { atoms: [], decisions: [], reasons, spans: [], cuts: [], rungs, tokens };
}

function countIn(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
