import { MidfoldError } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, textField } from "../../neutral/json-object.ts";
import type { Usage } from "../../neutral/neutral-response.ts";
import type { StreamDecoder } from "../../neutral/protocol.ts";
import type { StreamEvent } from "../../neutral/stream-event.ts";
import type { SseEvent } from "../../sse/sse-event.ts";
import { proofOf } from "../../translate/call-proofs.ts";
import { decodeErrorObject } from "../decode-failure.ts";
import { parseEvent } from "../parse-event.ts";
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

interface OpenCall {
  /** The part's index; given when the call starts, so that parts are numbered in the order they appear. */
  index: number | undefined;
  id: string;
  name: string;
  /** Arguments that came before the call could start. */
  waiting: string;
}

/**
 * Tool calls as they drip in. Servers disagree about nearly everything here: calls are known by index, by id, or by
 * nothing at all; the name comes at once, in pieces, or again with every piece; arguments of several calls alternate.
 */
class CallCollector {
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #calls: OpenCall[] = [];
  readonly #nextPart: () => number;

  constructor(nextPart: () => number) {
    this.#nextPart = nextPart;
  }

  get size(): number {
    return this.#calls.length;
  }

  /** The call that what comes without an id belongs to. */
  get lastId(): string {
    return this.#calls.at(-1)?.id ?? "";
  }

  push(delta: JsonObject, events: StreamEvent[]): void {
    const call = this.#find(delta);
    const body = isJsonObject(delta.function) ? delta.function : isJsonObject(delta.custom) ? delta.custom : delta;
    if (call.index === undefined) call.name = joinName(call.name, textField(body.name) ?? "");
    const text = argumentsOf(body.arguments ?? body.input);
    if (text === "") return;
    call.waiting += text;
    this.#startIfReady(call, events);
    if (call.index === undefined) return;
    events.push({ type: "tool-call-delta", index: call.index, text: call.waiting });
    call.waiting = "";
  }

  /** Starts what never got an id, and ends everything. */
  end(events: StreamEvent[]): void {
    for (const [at, call] of this.#calls.entries()) {
      if (call.name === "" && call.index === undefined) continue;
      if (call.id === "") call.id = `call_${at}`;
      this.#startIfReady(call, events);
      if (call.index === undefined) continue;
      if (call.waiting !== "") events.push({ type: "tool-call-delta", index: call.index, text: call.waiting });
      events.push({ type: "tool-call-end", index: call.index });
    }
    this.#calls.length = 0;
    this.#byIndex.clear();
  }

  #startIfReady(call: OpenCall, events: StreamEvent[]): void {
    if (call.index !== undefined || call.id === "" || call.name === "") return;
    call.index = this.#nextPart();
    events.push({ type: "tool-call-start", index: call.index, id: call.id, name: call.name });
  }

  #find(delta: JsonObject): OpenCall {
    const id = textField(delta.id) ?? "";
    const index = typeof delta.index === "number" ? delta.index : undefined;
    const known =
      index !== undefined
        ? this.#byIndex.get(index)
        : id !== ""
          ? this.#calls.find((call) => call.id === id)
          : this.#calls.at(-1);
    // A new id under an old index is another call.
    if (known !== undefined && (id === "" || known.id === "" || known.id === id)) {
      if (known.id === "") known.id = id;
      return known;
    }
    const call: OpenCall = { index: undefined, id, name: "", waiting: "" };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

/** A name may arrive whole, in pieces, or whole again with every piece. */
function joinName(name: string, more: string): string {
  if (more === "" || more === name) return name;
  return more.startsWith(name) ? more : name + more;
}

function argumentsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isJsonObject(value) ? JSON.stringify(value) : "";
}
