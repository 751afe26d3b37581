import { isJsonObject } from "../neutral/json-object.ts";
import type { FinishReason, NeutralResponse, Usage } from "../neutral/neutral-response.ts";
import type { EncodedRequest, Protocol, ReplyContext, ToolNames } from "../neutral/protocol.ts";
import type { StreamEvent } from "../neutral/stream-event.ts";
import type { SseEvent } from "../sse/sse-event.ts";
import { createResponseCollector } from "./collect-response.ts";
import { parseArguments } from "./parse-arguments.ts";
import { replayResponse } from "./replay-response.ts";
import { createLocalStop, createPrefillStripper, runStages, type StreamStage } from "./stream-stages.ts";

export interface ReplyTranslationOptions {
  /** The protocol the upstream answers in. */
  readonly upstream: Protocol;
  /** The protocol the client reads. */
  readonly client: Protocol;
  /** What the request became; an answer is translated back by the same rules. */
  readonly request: EncodedRequest;
  readonly reply: ReplyContext;
  /** How many tokens a text weighs; four characters to a token where nobody can say. */
  readonly countText?: (text: string) => number;
  /** The model's window: an answer that was cut because it is full says so. */
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

/** A whole answer in, a whole body out: the answer goes through the same stages as a stream. */
export function translateAnswer(answer: NeutralResponse, options: ReplyTranslationOptions): unknown {
  const collector = createResponseCollector();
  for (const event of runStages(stagesOf(options), replayResponse(answer))) collector.push(event);
  return options.client.encodeResponse(collector.result(), options.reply);
}

/** A whole answer in, a stream out: for upstreams that ignore the wish for one. */
export function streamAnswer(answer: NeutralResponse, options: ReplyTranslationOptions): string {
  const encoder = options.client.createStreamEncoder(options.reply);
  return runStages(stagesOf(options), replayResponse(answer))
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

function stagesOf(options: ReplyTranslationOptions): StreamStage[] {
  const { request } = options;
  return [
    createToolRestorer(request.tools),
    ...(request.prefill === undefined ? [] : [createPrefillStripper(request.prefill)]),
    ...(request.localStops.length === 0 ? [] : [createLocalStop(request.localStops)]),
    createUsageCompleter(options),
  ];
}

const roughly = (text: string): number => Math.ceil(text.length / 4);

/** Adds an estimated cost where the upstream reports none, and tells a full window from a reached limit. */
function createUsageCompleter({ reply, countText = roughly, window }: ReplyTranslationOptions): StreamStage {
  let usage: Usage | undefined;
  let written = "";
  return (event) => {
    if (event.type === "usage-available") usage = event.usage;
    else if (event.type.endsWith("-delta") && "text" in event) written += event.text;
    if (event.type !== "finish") return [event];
    const known = usage ?? { inputTokens: reply.estimatedInputTokens, outputTokens: countText(written) };
    const reason = finishFor(event.reason, known, window);
    const finish = { ...event, reason };
    return usage === undefined ? [{ type: "usage-available", usage: known }, finish] : [finish];
  };
}

function finishFor(reason: FinishReason, usage: Usage, window: number | undefined): FinishReason {
  const isFull = window !== undefined && usage.inputTokens + usage.outputTokens >= window;
  return reason === "length" && isFull ? "context-window" : reason;
}

/**
 * Gives tool calls the names the client knows, and free-text tools their free text. That can only be read from whole
 * JSON, so it is held back until the call is complete.
 */
function createToolRestorer(names: ToolNames): StreamStage {
  const held = new Map<number, string>();
  return (event) => {
    if (event.type === "tool-call-start") {
      const tool = names.toClient.get(event.name);
      if (tool === undefined || event.hosted === true) return [event];
      if (!tool.custom || event.custom === true) return [{ ...event, name: tool.name }];
      held.set(event.index, "");
      return [{ ...event, name: tool.name, custom: true }];
    }
    if (event.type !== "tool-call-delta" && event.type !== "tool-call-end") return [event];
    const text = held.get(event.index);
    if (text === undefined) return [event];
    if (event.type === "tool-call-delta") {
      held.set(event.index, text + event.text);
      return [];
    }
    held.delete(event.index);
    return [{ type: "tool-call-delta", index: event.index, text: freeText(text) }, event];
  };
}

function freeText(json: string): string {
  const parsed = parseArguments(json);
  if (isJsonObject(parsed) && typeof parsed.input === "string") return parsed.input;
  return json;
}
