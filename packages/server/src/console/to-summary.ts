import type { RequestDetail, RequestSummary } from "../api/console-schemas.ts";
import { hasWords, type RequestRecord } from "../requests/request-record.ts";

export function toSummary(record: RequestRecord): RequestSummary {
  return {
    id: record.id,
    at: record.at,
    state: record.state,
    status: record.status,
    errorCode: record.errorCode ?? null,
    client: record.client,
    keyName: record.keyName ?? null,
    protocol: record.protocol,
    path: record.path,
    upstream: record.upstream ?? null,
    requestedModel: record.requestedModel,
    model: record.model,
    stream: record.stream,
    conversationId: record.conversationId ?? null,
    fold: {
      outcome: record.outcome,
      id: record.foldId ?? null,
      rungs: [...(record.plan?.rungs ?? [])],
      by: record.foldBy,
      tokensBefore: record.tokensBefore,
      tokensAfter: record.tokensAfter,
      budget: Math.max(0, record.budget),
      window: record.window,
      messagesBefore: record.messagesBefore,
      messagesAfter: record.messagesAfter,
      exact: record.exact,
      breakEvenCalls: record.plan?.tokens.breakEvenCalls ?? null,
      cacheIsCold: record.cacheIsCold ?? null,
    },
    usage: record.usage ?? null,
    costMicros: record.costMicros ?? null,
    savedMicros: record.savedMicros ?? null,
    timing: {
      total: record.totalMs,
      fold: record.foldMs,
      upstreamFirstByte: record.upstreamFirstByteMs ?? null,
      overhead: record.overheadMs,
    },
    overflowRetried: record.overflowRetried,
    compactionRequest: record.compactionRequest,
    warnings: record.warnings.map(({ code, message }) => ({ code, message })),
  };
}

export function toDetail(record: RequestRecord): RequestDetail {
  const { plan } = record;
  return {
    ...toSummary(record),
    errorMessage: record.errorMessage ?? null,
    windowSource: record.windowSource ?? null,
    reasons: plan === undefined ? [] : plan.reasons.map((reason) => ({ ...reason })),
    decisions:
      plan === undefined || plan.atoms.length === 0
        ? null
        : plan.atoms.map((atom, index) => {
            const decision = plan.decisions[index] ?? { do: "keep" as const };
            return {
              kind: atom.kind,
              first: atom.first,
              last: atom.last,
              tokens: atom.tokens,
              pinned: atom.pinned,
              do: decision.do,
              toTokens: decision.do === "clip" ? decision.toTokens : null,
              span: decision.do === "fold" ? decision.span : null,
            };
          }),
    spans: plan === undefined ? [] : plan.spans.map((span) => ({ ...span, atoms: [...span.atoms] })),
    frames: record.content === undefined ? null : [...record.frames],
    upstreamAttempts: record.upstreamAttempts,
    hasContent: hasWords(record),
  };
}
