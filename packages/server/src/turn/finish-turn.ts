import type { MidfoldError } from "@midfold/core";
import type { Usage } from "@midfold/wire";
import type { TurnSpan } from "../observe/turn-span.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import type { Gateway } from "./gateway.ts";

/** Notes what the provider billed. Nonsense figures count as none. */
export function noteUsage(record: RequestRecord, usage: Usage | undefined): void {
  if (usage === undefined) return;
  const input = sane(usage.inputTokens);
  const output = sane(usage.outputTokens);
  if (input === 0 && output === 0) return;
  record.usage = { input, output, cached: sane(usage.cacheReadTokens), cacheWrite: sane(usage.cacheWriteTokens) };
}

function sane(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 && tokens < 1e9 ? Math.round(tokens) : 0;
}

export function noteFailure(record: RequestRecord, error: MidfoldError): void {
  record.state = error.code === "ABORTED" ? "cancelled" : "failed";
  record.status = error.status;
  record.errorCode = error.code;
  record.errorMessage = error.message;
}

/** Closes the books on a turn: log line, metrics, span, request log. Exactly once per turn. */
export function finishTurn(
  gateway: Gateway,
  record: RequestRecord,
  span: TurnSpan | undefined,
  startedAt: number,
): void {
  record.totalMs = performance.now() - startedAt;
  if (record.state === "running") record.state = "done";
  gateway.metrics.turn(record);
  span?.end(record);
  gateway.requests.end(record);
  if (gateway.log.isLevelEnabled("info")) logTurn(gateway, record);
}

function logTurn(gateway: Gateway, record: RequestRecord): void {
  const facts = {
    id: record.id,
    key: record.keyId,
    client: record.client,
    protocol: record.protocol,
    model: record.model,
    upstream: record.upstream,
    stream: record.stream,
    status: record.status,
    state: record.state,
    code: record.errorCode,
    fold: record.outcome,
    input: record.usage?.input,
    output: record.usage?.output,
    ms: Math.round(record.totalMs),
    overheadMs: Math.round(record.overheadMs * 100) / 100,
  };
  if (record.state === "failed" && record.status >= 500)
    gateway.log.warn({ ...facts, error: record.errorMessage }, "request failed");
  else gateway.log.info(facts, "request");
}

/** R0 1.5 and 4.4: what compression did, at INFO. */
export function logFold(gateway: Gateway, record: RequestRecord): void {
  if (record.outcome !== "folded" && record.outcome !== "reused") return;
  gateway.log.info(
    {
      id: record.id,
      fold: record.foldId,
      outcome: record.outcome,
      originalTokens: record.tokensBefore,
      compressedTokens: record.tokensAfter,
      savedTokens: record.tokensBefore - record.tokensAfter,
      originalMessages: record.messagesBefore,
      compressedMessages: record.messagesAfter,
      budget: record.budget,
      window: record.window,
      windowSource: record.windowSource,
      rungs: record.plan?.rungs,
      foldMs: Math.round(record.foldMs * 100) / 100,
    },
    "context compressed",
  );
}
