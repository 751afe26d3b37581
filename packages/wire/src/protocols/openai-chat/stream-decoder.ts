import { MidfoldError } from "@midfold/core";
import type { SseEvent } from "../../sse/sse-event.ts";
import { proofOf } from "../../translate/call-proofs.ts";
import { decodeErrorObject } from "../decode-failure.ts";
import { compact, isJsonObject, type JsonObject, textField } from "../json-object.ts";
import type { Usage } from "../neutral-response.ts";
import { parseEvent } from "../parse-event.ts";
import type { StreamDecoder } from "../protocol.ts";
import type { StreamEvent } from "../stream-event.ts";
import { CallCollector } from "./collect-calls.ts";
import { decodeFinish } from "./finish.ts";
import { decodeUsage } from "./usage.ts";

/** Reads a stream of chat completion chunks. It ends with `[DONE]` or with the connection, if a finish was seen. */
export function createStreamDecoder(): StreamDecoder {
  let parts = 0;
  let started = false;
  let done = false;
  let finish: unknown;
  let stopSequence: unknown;
  let refused = false;
  let usage: Usage | undefined;
  let text: number | undefined;
  let thought: { index: number; signature?: string; opaque?: string } | undefined;
  let hadCalls = false;
  const calls = new CallCollector(() => parts++);

  const closeText = (events: StreamEvent[]) => {
    if (text !== undefined) events.push({ type: "text-end", index: text });
    text = undefined;
  };
  const closeThought = (events: StreamEvent[]) => {
    if (thought !== undefined) events.push({ type: "reasoning-end", ...thought });
    thought = undefined;
  };
  const addText = (more: string, events: StreamEvent[]) => {
    if (more === "") return;
    closeThought(events);
    if (text === undefined) {
      text = parts++;
      events.push({ type: "text-start", index: text });
    }
    events.push({ type: "text-delta", index: text, text: more });
  };
  const addThought = (delta: JsonObject, events: StreamEvent[]) => {
    const details = Array.isArray(delta.reasoning_details) ? delta.reasoning_details.filter(isJsonObject) : [];
    const plain = textField(delta.reasoning_content) ?? textField(delta.reasoning);
    const more = plain ?? details.map((detail) => textField(detail.text) ?? textField(detail.summary) ?? "").join("");
    if (more === "" && details.length === 0) return;
    closeText(events);
    if (thought === undefined) {
      thought = { index: parts++ };
      events.push({ type: "reasoning-start", index: thought.index });
    }
    if (more !== "") events.push({ type: "reasoning-delta", index: thought.index, text: more });
    for (const detail of details) {
      if (typeof detail.signature === "string") thought.signature = detail.signature;
      if (typeof detail.data === "string") thought.opaque = detail.data;
    }
  };
  const addCalls = (list: readonly JsonObject[], events: StreamEvent[]) => {
    if (list.length === 0) return;
    closeThought(events);
    closeText(events);
    for (const call of list) {
      const proof = proofOf(call, textField(call.id) ?? calls.lastId);
      if (proof !== undefined) {
        const index = parts++;
        events.push({ type: "reasoning-start", index });
        events.push(compact({ type: "reasoning-end" as const, index, opaque: proof.opaque }));
      }
      calls.push(call, events);
    }
    hadCalls ||= calls.size > 0;
  };
  const addDelta = (delta: JsonObject, events: StreamEvent[]) => {
    addThought(delta, events);
    for (const piece of textsOf(delta.content)) addText(piece, events);
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      refused = true;
      addText(delta.refusal, events);
    }
    addCalls(Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isJsonObject) : [], events);
    if (isJsonObject(delta.function_call)) addCalls([{ index: 0, function: delta.function_call }], events);
  };
  const complete = (events: StreamEvent[]) => {
    closeThought(events);
    closeText(events);
    calls.end(events);
    done = true;
    if (usage !== undefined) events.push({ type: "usage-available", usage });
    const reason = refused ? "refusal" : decodeFinish(finish, hadCalls, stopSequence);
    events.push(compact({ type: "finish" as const, reason, stopSequence: textField(stopSequence) }));
  };
  const fail = (error: MidfoldError, events: StreamEvent[]) => {
    done = true;
    events.push({ type: "error", error });
  };

  return {
    push(event: SseEvent) {
      const events: StreamEvent[] = [];
      if (done || event.data === "") return events;
      if (event.data.trim() === "[DONE]") {
        if (finish === undefined && parts === 0 && !hadCalls) fail(brokeOff("without a single word"), events);
        else complete(events);
        return events;
      }
      const chunk = parseEvent(event);
      if (chunk instanceof MidfoldError) {
        fail(chunk, events);
        return events;
      }
      const choice = Array.isArray(chunk.choices) ? chunk.choices.filter(isJsonObject).find(isFirst) : undefined;
      const broken = chunk.error ?? choice?.error ?? (event.event === "error" ? chunk : undefined);
      if (broken !== undefined && broken !== null) {
        fail(decodeErrorObject({ error: broken }), events);
        return events;
      }
      if (!started) {
        started = true;
        events.push(
          compact({ type: "response-start" as const, id: textField(chunk.id), model: textField(chunk.model) }),
        );
      }
      usage = decodeUsage(chunk.usage) ?? usage;
      if (choice === undefined) return events;
      const delta = isJsonObject(choice.delta) ? choice.delta : choice.message;
      if (isJsonObject(delta)) addDelta(delta, events);
      finish = choice.finish_reason ?? finish;
      stopSequence = choice.stop_reason ?? stopSequence;
      if (finish === "error") fail(brokeOff("with an error it did not name"), events);
      return events;
    },
    end() {
      const events: StreamEvent[] = [];
      if (done) return events;
      if (finish === undefined || finish === null) fail(brokeOff("before it was finished"), events);
      else complete(events);
      return events;
    },
  };
}

function isFirst(choice: JsonObject): boolean {
  return choice.index === undefined || choice.index === 0;
}

function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.map((block) => (isJsonObject(block) ? (textField(block.text) ?? "") : ""));
}

function brokeOff(how: string): MidfoldError {
  return new MidfoldError("UPSTREAM_BROKEN", `The upstream's answer ended ${how}.`);
}
