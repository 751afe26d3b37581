import { type Span, SpanKind, SpanStatusCode, type Tracer, type TracerProvider, trace } from "@opentelemetry/api";
import type { RequestRecord } from "../requests/request-record.ts";

export interface TurnSpan {
  end(record: RequestRecord): void;
}

let provider: TracerProvider | undefined;
let tracer: Tracer | undefined;

/** The tracer of whichever provider is registered now. */
function currentTracer(): Tracer {
  const registered = trace.getTracerProvider();
  if (tracer !== undefined && provider === registered) return tracer;
  provider = registered;
  tracer = registered.getTracer("midfold");
  return tracer;
}

/** A GenAI span for one turn; undefined when nobody records it. */
export function startTurnSpan(record: RequestRecord): TurnSpan | undefined {
  const span = currentTracer().startSpan(`chat ${record.requestedModel}`, { kind: SpanKind.SERVER });
  if (!span.isRecording()) return undefined;
  span.setAttributes({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": record.requestedModel,
    "midfold.protocol": record.protocol,
    "midfold.request.id": record.id,
  });
  return { end: (ended) => endSpan(span, ended) };
}

function endSpan(span: Span, record: RequestRecord): void {
  span.setAttributes({
    "gen_ai.response.model": record.model,
    "gen_ai.conversation.compacted": record.outcome === "folded" || record.outcome === "reused",
    "http.response.status_code": record.status,
    "midfold.tokens.before": record.tokensBefore,
    "midfold.tokens.after": record.tokensAfter,
    "midfold.window": record.window,
    ...(record.upstream === undefined ? {} : { "gen_ai.provider.name": record.upstream }),
    ...(record.conversationId === undefined ? {} : { "gen_ai.conversation.id": record.conversationId }),
    ...(record.foldId === undefined ? {} : { "midfold.fold.id": record.foldId }),
    ...(record.usage === undefined
      ? {}
      : {
          "gen_ai.usage.input_tokens": record.usage.input,
          "gen_ai.usage.output_tokens": record.usage.output,
        }),
  });
  if (record.errorCode !== undefined) {
    span.setAttribute("error.type", record.errorCode);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
