import type { NeutralResponse } from "../protocols/neutral-response.ts";
import type { EncodedRequest, Protocol, Reply } from "../protocols/protocol.ts";
import type { StreamEvent } from "../protocols/stream-event.ts";
import type { SseEvent } from "../sse/sse-event.ts";
import { createResponseCollector } from "./collect-response.ts";
import { completeUsage, createUsageCompleter } from "./complete-usage.ts";
import { replayResponse } from "./replay-response.ts";
import { createToolRestorer, restoreTools } from "./restore-tools.ts";
import { createLocalStop, stopLocally } from "./stop-locally.ts";
import { runStages, type StreamStage } from "./stream-stage.ts";
import { createPrefillStripper, stripPrefill } from "./strip-prefill.ts";

export interface ReplyTranslationOptions {
  /** The protocol the upstream answers in. */
  readonly upstream: Protocol;
  /** The protocol the client reads. */
  readonly client: Protocol;
  /** What the request became; an answer is translated back by the same rules. */
  readonly request: EncodedRequest;
  readonly reply: Reply;
  readonly countText?: (text: string) => number;
  readonly window?: number;
}

export interface ReplyTranslator {
  /** The neutral events of an upstream event, ready for the client. */
  push(event: SseEvent): readonly StreamEvent[];
  /** Call once when the upstream's stream ends. */
  end(): readonly StreamEvent[];
}

/** Answers of the upstream, as they stream in, in neutral events: names restored, stops enforced, usage complete. */
export function createReplyTranslator(options: ReplyTranslationOptions): ReplyTranslator {
  const decoder = options.upstream.createStreamDecoder();
  const stages = stagesOf(options);
  return {
    push: (event) => runStages(stages, decoder.push(event)),
    end: () => runStages(stages, decoder.end()),
  };
}

/** A stream in, a stream out: the client's frames for each of the upstream's events. */
export function createStreamTranslator(options: ReplyTranslationOptions) {
  const translator = createReplyTranslator(options);
  const encoder = options.client.createStreamEncoder(options.reply);
  const write = (events: readonly StreamEvent[]): string => {
    let frames = "";
    for (const event of events) frames += encoder.push(event);
    return frames;
  };
  return {
    push: (event: SseEvent): string => write(translator.push(event)),
    end: (): string => write(translator.end()),
  };
}

/** A whole body in, a whole body out. Throws what the upstream's body says went wrong. */
export function translateResponse(body: unknown, options: ReplyTranslationOptions): unknown {
  return options.client.encodeResponse(readResponse(body, options), options.reply);
}

/** A whole body in, a stream out: for upstreams that ignore the wish for one. */
export function streamResponse(body: unknown, options: ReplyTranslationOptions): string {
  const encoder = options.client.createStreamEncoder(options.reply);
  return replayResponse(readResponse(body, options))
    .map((event) => encoder.push(event))
    .join("");
}

/** A stream in, a whole body out: for clients that did not ask for a stream. */
export function createBodyCollector(options: ReplyTranslationOptions) {
  const translator = createReplyTranslator(options);
  const collector = createResponseCollector();
  return {
    push(event: SseEvent): void {
      for (const next of translator.push(event)) collector.push(next);
    },
    end(): unknown {
      for (const next of translator.end()) collector.push(next);
      return options.client.encodeResponse(collector.result(), options.reply);
    },
  };
}

function readResponse(body: unknown, options: ReplyTranslationOptions): NeutralResponse {
  const { request, upstream } = options;
  const decoded = upstream.decodeResponse(body);
  const named = { ...decoded, parts: restoreTools(decoded.parts, request.tools) };
  const continued = request.prefill === undefined ? named : stripPrefill(named, request.prefill);
  return completeUsage(stopLocally(continued, request.localStops), usageOptions(options));
}

function stagesOf(options: ReplyTranslationOptions): StreamStage[] {
  const { request } = options;
  return [
    createToolRestorer(request.tools),
    ...(request.prefill === undefined ? [] : [createPrefillStripper(request.prefill)]),
    ...(request.localStops.length === 0 ? [] : [createLocalStop(request.localStops)]),
    createUsageCompleter(usageOptions(options)),
  ];
}

function usageOptions(options: ReplyTranslationOptions) {
  const { countText, window, reply } = options;
  return { estimatedInputTokens: reply.estimatedInputTokens, countText, window };
}
