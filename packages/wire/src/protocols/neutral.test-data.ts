import type { Part } from "@midfold/core";
import fc from "fast-check";
import type { NeutralResponse } from "../neutral/neutral-response.ts";
import type { EncodedRequest, ProtocolName, ReplyContext } from "../neutral/protocol.ts";
import { createSseParser } from "../sse/create-sse-parser.ts";
import type { SseEvent } from "../sse/sse-event.ts";
import { createReplyTranslator, type ReplyTranslationOptions, translateAnswer } from "../translate/translate-reply.ts";
import { protocols } from "./protocols.ts";

export const reply: ReplyContext = {
  id: "msg_1",
  createdAt: 1_700_000_000,
  model: "asked-for",
  includeUsage: true,
  estimatedInputTokens: 42,
};

const noTools = { toUpstream: new Map(), toClient: new Map() };

export const noRequest: EncodedRequest = { body: {}, tools: noTools, localStops: [], dropped: [], leftOut: [] };

export function options(
  upstream: ProtocolName,
  client: ProtocolName,
  more: Partial<ReplyTranslationOptions> = {},
): ReplyTranslationOptions {
  return { upstream: protocols[upstream], client: protocols[client], request: noRequest, reply, ...more };
}

/** The events of a text of frames, as a client would read them. */
export function readFrames(frames: string): SseEvent[] {
  const parser = createSseParser();
  return [...parser.push(new TextEncoder().encode(frames)), ...parser.end()];
}

/** A stream in, a stream out: the client's frames for each of the upstream's events. */
export function createStreamTranslator(options: ReplyTranslationOptions) {
  const translator = createReplyTranslator(options);
  const encoder = options.client.createStreamEncoder(options.reply);
  return {
    push: (event: SseEvent): string =>
      translator
        .push(event)
        .map((each) => encoder.push(each))
        .join(""),
    end: (): string =>
      translator
        .end()
        .map((each) => encoder.push(each))
        .join(""),
  };
}

/** A whole body in, a whole body out. */
export function translateResponse(body: unknown, options: ReplyTranslationOptions): unknown {
  return translateAnswer(options.upstream.decodeResponse(body), options);
}

/** Runs chat chunks through the translator; strings are sent as they are. */
export function translateChunks(
  chunks: readonly (object | string)[],
  translation: ReplyTranslationOptions = options("openai-chat", "anthropic-messages"),
): { type: string; data: Record<string, unknown> }[] {
  const translator = createStreamTranslator(translation);
  let frames = "";
  for (const chunk of chunks) {
    frames += translator.push({ event: "", data: typeof chunk === "string" ? chunk : JSON.stringify(chunk) });
  }
  frames += translator.end();
  return readFrames(frames)
    .filter(({ event }) => event !== "ping")
    .map(({ event, data }) => ({
      type: event,
      data: data === "[DONE]" ? {} : (JSON.parse(data) as Record<string, unknown>),
    }));
}

export const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  id: "c1",
  model: "up",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

const words = fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" });
const identifier = fc.stringMatching(/^[a-z][a-z0-9_]{2,12}$/);
const callInput = fc
  .dictionary(fc.string({ maxLength: 6 }), fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));

/** Answers any of the protocols can give: thoughts first, then text, then calls. */
export const anyResponse: fc.Arbitrary<NeutralResponse> = fc
  .record({
    thought: fc.option(words, { nil: undefined }),
    text: fc.option(words, { nil: undefined }),
    calls: fc.uniqueArray(fc.record({ id: identifier, name: identifier, input: callInput }), {
      maxLength: 3,
      selector: ({ id }) => id,
    }),
    length: fc.boolean(),
    usage: fc.record({ inputTokens: fc.nat(5000), outputTokens: fc.nat(5000), cacheReadTokens: fc.constant(0) }),
  })
  .map(({ thought, text, calls, length, usage }) => {
    const parts: Part[] = [
      ...(thought === undefined ? [] : [{ type: "reasoning", text: thought } as const]),
      ...(text === undefined ? [] : [{ type: "text", text } as const]),
      ...calls.map((call) => ({ type: "tool-call", ...call }) as const),
    ];
    const finish = length ? "length" : calls.length > 0 ? "tool-calls" : "stop";
    return { id: "x", model: "up", parts, finish, usage };
  });
