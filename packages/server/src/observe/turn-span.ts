import { type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";

export interface TurnSpanStart {
  readonly protocol: string;
  readonly model: string;
  readonly requestId: string;
}

export interface TurnSpanEnd {
  readonly provider: string | undefined;
  readonly model: string;
  readonly conversationId: string | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly folded: boolean;
  readonly foldId: string | undefined;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly window: number;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface TurnSpan {
  end(facts: TurnSpanEnd): void;
}

/** A GenAI span for one turn. Without an OpenTelemetry SDK in the process this costs next to nothing. */
export function startTurnSpan(start: TurnSpanStart): TurnSpan {
  const span = trace.getTracer("midfold").startSpan(`chat ${start.model}`, { kind: SpanKind.SERVER });
  if (span.isRecording()) {
    span.setAttributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": start.model,
      "midfold.protocol": start.protocol,
      "midfold.request.id": start.requestId,
    });
  }
  return { end: (facts) => endSpan(span, facts) };
}

function endSpan(span: Span, facts: TurnSpanEnd): void {
  if (span.isRecording()) {
    span.setAttributes({
      "gen_ai.response.model": facts.model,
      "gen_ai.conversation.compacted": facts.folded,
      "http.response.status_code": facts.status,
      "midfold.tokens.before": facts.tokensBefore,
      "midfold.tokens.after": facts.tokensAfter,
      "midfold.window": facts.window,
      ...(facts.provider === undefined ? {} : { "gen_ai.provider.name": facts.provider }),
      ...(facts.conversationId === undefined ? {} : { "gen_ai.conversation.id": facts.conversationId }),
      ...(facts.foldId === undefined ? {} : { "midfold.fold.id": facts.foldId }),
      ...(facts.inputTokens === undefined ? {} : { "gen_ai.usage.input_tokens": facts.inputTokens }),
      ...(facts.outputTokens === undefined ? {} : { "gen_ai.usage.output_tokens": facts.outputTokens }),
    });
    if (facts.errorCode !== undefined) {
      span.setAttribute("error.type", facts.errorCode);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end();
}
