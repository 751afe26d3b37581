import { formats, MidfoldError, type Part } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, textField } from "../../neutral/json-object.ts";
import type { StreamDecoder } from "../../neutral/protocol.ts";
import type { StreamEvent } from "../../neutral/stream-event.ts";
import type { SseEvent } from "../../sse/sse-event.ts";
import { decodeErrorObject } from "../decode-failure.ts";
import { parseEvent } from "../parse-event.ts";
import { decodeFinish } from "./decode-response.ts";
import { decodeUsage } from "./usage.ts";

interface OpenPart {
  readonly index: number;
  readonly kind: "text" | "reasoning" | "tool-call";
  /** Whether any delta came; an item that arrives only at its end is told then. */
  heard: boolean;
}

/** Reads the events of a response. Servers that only send whole items are understood as well. */
export function createStreamDecoder(): StreamDecoder {
  const open = new Map<number, OpenPart>();
  let parts = 0;
  let done = false;
  const seen: Part[] = [];

  const startPart = (place: number, kind: OpenPart["kind"], events: StreamEvent[], item?: JsonObject): OpenPart => {
    const part: OpenPart = { index: parts++, kind, heard: false };
    open.set(place, part);
    const { index } = part;
    if (kind === "text") events.push({ type: "text-start", index });
    else if (kind === "reasoning") events.push({ type: "reasoning-start", index });
    else {
      const namespace = textField(item?.namespace);
      const name = textField(item?.name) ?? "";
      const call = {
        type: "tool-call-start",
        index,
        id: textField(item?.call_id) ?? "",
        name: namespace === undefined ? name : `${namespace}__${name}`,
      } as const;
      events.push(item?.type === "custom_tool_call" ? { ...call, custom: true } : call);
    }
    return part;
  };
  const say = (place: number, kind: OpenPart["kind"], text: unknown, events: StreamEvent[]): void => {
    if (typeof text !== "string" || text === "") return;
    const part = open.get(place) ?? (kind === "tool-call" ? undefined : startPart(place, kind, events));
    if (part === undefined || part.kind !== kind) return;
    part.heard = true;
    events.push({ type: `${kind}-delta`, index: part.index, text });
  };
  const addItem = (place: number, item: JsonObject, events: StreamEvent[]): void => {
    if (open.has(place)) return;
    if (item.type === "reasoning") startPart(place, "reasoning", events);
    else if (item.type === "function_call" || item.type === "custom_tool_call") {
      startPart(place, "tool-call", events, item);
    }
  };
  const endItem = (place: number, item: JsonObject, events: StreamEvent[]): void => {
    const decoded = formats["openai-responses"].decode([item], { onInvalid: "skip" })[0]?.parts ?? [];
    seen.push(...decoded);
    if (item.type === "message") {
      if (open.get(place)?.heard !== true) for (const part of decoded) say(place, "text", wordsOf(part), events);
    } else if (item.type === "reasoning" || item.type === "function_call" || item.type === "custom_tool_call") {
      addItem(place, item, events);
      const [part] = decoded;
      if (open.get(place)?.heard !== true && part?.type === "reasoning") say(place, "reasoning", part.text, events);
      if (open.get(place)?.heard !== true && part?.type === "tool-call") say(place, "tool-call", part.input, events);
    } else {
      for (const part of decoded) events.push({ type: "part-available", index: parts++, part });
    }
    closePart(place, item, events);
  };
  const closePart = (place: number, item: JsonObject, events: StreamEvent[]): void => {
    const part = open.get(place);
    if (part === undefined) return;
    open.delete(place);
    const { index, kind } = part;
    if (kind !== "reasoning") events.push({ type: `${kind}-end`, index });
    else events.push(compact({ type: "reasoning-end" as const, index, opaque: textField(item.encrypted_content) }));
  };
  const complete = (response: JsonObject, events: StreamEvent[]): void => {
    done = true;
    for (const place of [...open.keys()]) closePart(place, {}, events);
    const usage = decodeUsage(response.usage);
    if (usage !== undefined) events.push({ type: "usage-available", usage });
    events.push({ type: "finish", reason: decodeFinish(response, seen) });
  };
  const fail = (error: MidfoldError, events: StreamEvent[]): void => {
    done = true;
    events.push({ type: "error", error });
  };

  const take = (data: JsonObject, events: StreamEvent[]): void => {
    const place = typeof data.output_index === "number" ? data.output_index : 0;
    const item = isJsonObject(data.item) ? data.item : {};
    const response = isJsonObject(data.response) ? data.response : {};
    switch (data.type) {
      case "response.created":
        events.push(
          compact({ type: "response-start" as const, id: textField(response.id), model: textField(response.model) }),
        );
        break;
      case "response.output_item.added":
        addItem(place, item, events);
        break;
      case "response.output_text.delta":
      case "response.refusal.delta":
        say(place, "text", data.delta, events);
        break;
      case "response.reasoning_summary_part.added":
        if (open.get(place)?.heard === true) say(place, "reasoning", "\n\n", events);
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        say(place, "reasoning", data.delta, events);
        break;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        say(place, "tool-call", data.delta, events);
        break;
      case "response.output_item.done":
        endItem(place, item, events);
        break;
      case "response.completed":
      case "response.incomplete":
        complete(response, events);
        break;
      case "response.failed":
      case "response.cancelled":
        fail(decodeErrorObject(response), events);
        break;
      case "error":
        fail(decodeErrorObject(data), events);
    }
  };

  return {
    push(event: SseEvent) {
      const events: StreamEvent[] = [];
      if (done || event.data === "" || event.data === "[DONE]") return events;
      const data = parseEvent(event);
      if (data instanceof MidfoldError) fail(data, events);
      else if (typeof data.type === "string") take(data, events);
      else if (data.error !== undefined) fail(decodeErrorObject(data), events);
      return events;
    },
    end() {
      const events: StreamEvent[] = [];
      if (!done) {
        fail(new MidfoldError("UPSTREAM_BROKEN", "The upstream's answer ended before it was finished."), events);
      }
      return events;
    },
  };
}

function wordsOf(part: Part): string {
  if (part.type === "text") return part.text;
  return part.type === "other" && isJsonObject(part.value) ? (textField(part.value.refusal) ?? "") : "";
}
