import { type Message, MidfoldError, type Part } from "@midfold/core";
import {
  type EncodedRequest,
  type FinishReason,
  type NeutralRequest,
  replayResponse,
  type StreamEvent,
  type Usage,
} from "@midfold/wire";
import type { Opened } from "../../exchange/open-answer.ts";
import type { Destination } from "../../upstreams/destination.ts";
import type { ReplyEvent, ReplyFinish, ReplyRequest } from "./chat-models.ts";

/** The body exactly as it is sent. With `usage` false it does not ask for usage, which some servers refuse. */
export function writeBody(destination: Destination, request: ReplyRequest, usage = true): EncodedRequest {
  const traits = usage ? destination.traits : { ...destination.traits, streamUsage: false };
  return destination.protocol.encodeRequest(toNeutral(destination, request), traits);
}

/** A reply as it is written, from an answer that has begun. Throws a refusal as the protocol's error. */
export async function* readReply(opened: Opened): AsyncGenerator<ReplyEvent, void, undefined> {
  if (opened.kind === "failed") throw opened.error;
  const collect = collectParts();
  if (opened.kind === "whole") {
    for (const event of replayResponse(opened.answer)) yield* collect.add(event);
  } else {
    const { source } = opened;
    try {
      for (const { events } of source.held) for (const event of events) yield* collect.add(event);
      for (let piece = await source.next(); piece !== undefined; piece = await source.next()) {
        for (const event of piece.events) yield* collect.add(event);
      }
    } finally {
      await source.cancel();
    }
  }
  yield collect.end();
}

/** Turns the protocol's events into the chat's: text as it arrives, everything else when it is complete. */
function collectParts() {
  const open = new Map<number, { readonly part: Part; text: string }>();
  let finish: FinishReason | undefined;
  let usage: Usage | undefined;
  let model: string | undefined;

  function* add(event: StreamEvent): Generator<ReplyEvent> {
    switch (event.type) {
      case "response-start":
        model = event.model ?? model;
        usage = event.usage ?? usage;
        return;
      case "text-delta":
        yield { type: "text", text: event.text };
        return;
      case "reasoning-start":
        open.set(event.index, { part: { type: "reasoning", text: "" }, text: "" });
        return;
      case "reasoning-delta": {
        const part = open.get(event.index);
        if (part !== undefined) part.text += event.text;
        yield { type: "reasoning", text: event.text };
        return;
      }
      case "reasoning-end": {
        const text = open.get(event.index)?.text ?? "";
        const { signature, opaque } = event;
        if (signature === undefined && opaque === undefined) return;
        const proof = {
          ...(signature === undefined ? {} : { signature }),
          ...(opaque === undefined ? {} : { opaque }),
        };
        yield { type: "part", part: { type: "reasoning", text, ...proof } };
        return;
      }
      case "tool-call-start": {
        const { id, name, custom, hosted } = event;
        const marks = { ...(custom === true ? { custom } : {}), ...(hosted === true ? { hosted } : {}) };
        open.set(event.index, { part: { type: "tool-call", id, name, input: "", ...marks }, text: "" });
        return;
      }
      case "tool-call-delta": {
        const part = open.get(event.index);
        if (part !== undefined) part.text += event.text;
        return;
      }
      case "tool-call-end": {
        const call = open.get(event.index);
        if (call?.part.type === "tool-call") yield { type: "part", part: { ...call.part, input: call.text } };
        return;
      }
      case "part-available":
        yield { type: "part", part: event.part };
        return;
      case "usage-available":
        usage = event.usage;
        return;
      case "finish":
        finish = event.reason;
        return;
      case "error":
        throw event.error;
    }
  }

  return {
    add,
    end(): ReplyEvent {
      if (finish === undefined) throw new MidfoldError("UPSTREAM_BROKEN", "The reply broke off before its end.");
      const counted = usage === undefined ? {} : { usage: toUsage(usage) };
      return { type: "end", finish: finishes[finish], ...counted, ...(model === undefined ? {} : { model }) };
    },
  };
}

const finishes: Readonly<Record<FinishReason, ReplyFinish>> = {
  stop: "complete",
  "stop-sequence": "complete",
  pause: "complete",
  compaction: "complete",
  length: "cut-off",
  "context-window": "cut-off",
  "tool-calls": "tool-call",
  refusal: "refused",
};

function toUsage({ inputTokens, outputTokens, cacheReadTokens }: Usage) {
  return { inputTokens, outputTokens, ...(cacheReadTokens === undefined ? {} : { cachedTokens: cacheReadTokens }) };
}

function toNeutral(destination: Destination, request: ReplyRequest): NeutralRequest {
  const { messages } = request;
  const head = messages.findIndex((message) => message.role !== "system");
  const lead = head === -1 ? messages.length : head;
  return {
    model: destination.model,
    system: messages.slice(0, lead),
    messages: messages.slice(lead).map(withoutId),
    tools: request.tools.map((tool) => ({ ...tool, kind: "function" })),
    ...(request.tools.length === 0 ? {} : { toolChoice: { type: "none" } }),
    maxOutputTokens: request.maxOutputTokens,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    stop: [],
    stream: true,
    includeUsage: true,
    contextEdits: [],
    extra: {},
    source: undefined,
  };
}

/** Providers do not know the ids of our store. */
function withoutId({ id: _, ...message }: Message): Message {
  return message;
}
