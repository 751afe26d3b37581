import { formats, MidfoldError } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, textField } from "../../neutral/json-object.ts";
import type { Usage } from "../../neutral/neutral-response.ts";
import type { StreamDecoder } from "../../neutral/protocol.ts";
import type { StreamEvent } from "../../neutral/stream-event.ts";
import type { SseEvent } from "../../sse/sse-event.ts";
import { decodeErrorObject } from "../decode-failure.ts";
import { parseEvent } from "../parse-event.ts";
import { decodeFinish } from "./finish.ts";
import { decodeUsage } from "./usage.ts";

interface OpenBlock {
  readonly kind: "text" | "reasoning" | "tool-call";
  /** Arguments given whole at the start of a tool block, used when no piece of them follows. */
  whole: string;
  signature?: string;
}

/** Reads the events of a message. Only `message_stop` ends it well. */
export function createStreamDecoder(): StreamDecoder {
  const blocks = new Map<number, OpenBlock>();
  let done = false;
  let usage: Usage | undefined;
  let stop: JsonObject | undefined;

  const startBlock = (index: number, block: JsonObject, events: StreamEvent[]): void => {
    switch (block.type) {
      case "text":
        blocks.set(index, { kind: "text", whole: "" });
        events.push({ type: "text-start", index });
        if (textField(block.text)) events.push({ type: "text-delta", index, text: String(block.text) });
        return;
      case "thinking":
        blocks.set(
          index,
          compact({ kind: "reasoning" as const, whole: "", signature: textField(block.signature) || undefined }),
        );
        events.push({ type: "reasoning-start", index });
        if (textField(block.thinking)) events.push({ type: "reasoning-delta", index, text: String(block.thinking) });
        return;
      case "redacted_thinking": {
        const opaque = textField(block.data) ?? "";
        events.push({ type: "reasoning-start", index, opaque }, { type: "reasoning-end", index, opaque });
        return;
      }
      case "tool_use":
      case "server_tool_use":
      case "mcp_tool_use": {
        const isFull = isJsonObject(block.input) && Object.keys(block.input).length > 0;
        blocks.set(index, { kind: "tool-call", whole: isFull ? JSON.stringify(block.input) : "" });
        const call = { type: "tool-call-start", index, id: String(block.id), name: String(block.name) } as const;
        events.push(block.type === "tool_use" ? call : { ...call, hosted: true });
        return;
      }
      default: {
        const part = formats["anthropic-messages"].decode([{ role: "assistant", content: [block] }], {
          onInvalid: "skip",
        })[0]?.parts[0];
        if (part !== undefined) events.push({ type: "part-available", index, part });
      }
    }
  };

  const addDelta = (index: number, delta: JsonObject, events: StreamEvent[]): void => {
    const block = blocks.get(index);
    if (block === undefined) return;
    if (delta.type === "text_delta" && textField(delta.text)) {
      events.push({ type: "text-delta", index, text: String(delta.text) });
    } else if (delta.type === "thinking_delta" && textField(delta.thinking)) {
      events.push({ type: "reasoning-delta", index, text: String(delta.thinking) });
    } else if (delta.type === "signature_delta") {
      block.signature = (block.signature ?? "") + (textField(delta.signature) ?? "");
    } else if (delta.type === "input_json_delta" && textField(delta.partial_json)) {
      block.whole = "";
      events.push({ type: "tool-call-delta", index, text: String(delta.partial_json) });
    }
  };

  const endBlock = (index: number, events: StreamEvent[]): void => {
    const block = blocks.get(index);
    if (block === undefined) return;
    blocks.delete(index);
    if (block.kind === "text") events.push({ type: "text-end", index });
    else if (block.kind === "tool-call") {
      if (block.whole !== "") events.push({ type: "tool-call-delta", index, text: block.whole });
      events.push({ type: "tool-call-end", index });
    } else events.push(compact({ type: "reasoning-end" as const, index, signature: block.signature }));
  };

  const take = (data: JsonObject, events: StreamEvent[]): void => {
    const index = typeof data.index === "number" ? data.index : 0;
    switch (data.type) {
      case "message_start": {
        const message = isJsonObject(data.message) ? data.message : {};
        usage = decodeUsage(message.usage);
        const { id, model } = message;
        events.push(compact({ type: "response-start" as const, id: textField(id), model: textField(model), usage }));
        return;
      }
      case "content_block_start":
        startBlock(index, isJsonObject(data.content_block) ? data.content_block : {}, events);
        return;
      case "content_block_delta":
        addDelta(index, isJsonObject(data.delta) ? data.delta : {}, events);
        return;
      case "content_block_stop":
        endBlock(index, events);
        return;
      case "message_delta":
        stop = isJsonObject(data.delta) ? data.delta : stop;
        usage = mergeUsage(usage, decodeUsage(data.usage), data.usage);
        return;
      case "message_stop":
        complete(events);
        return;
      case "error":
        done = true;
        events.push({ type: "error", error: decodeErrorObject(data) });
    }
  };

  const complete = (events: StreamEvent[]): void => {
    done = true;
    for (const index of [...blocks.keys()]) endBlock(index, events);
    if (usage !== undefined) events.push({ type: "usage-available", usage });
    const reason = decodeFinish(stop?.stop_reason);
    events.push(compact({ type: "finish" as const, reason, stopSequence: textField(stop?.stop_sequence) }));
  };

  return {
    push(event: SseEvent) {
      const events: StreamEvent[] = [];
      if (done || event.data === "" || event.data === "[DONE]") return events;
      const data = parseEvent(event);
      if (data instanceof MidfoldError) {
        done = true;
        events.push({ type: "error", error: data });
      } else take(data, events);
      return events;
    },
    end() {
      if (done) return [];
      const events: StreamEvent[] = [];
      // Some servers close right after the last delta; the answer is whole when its stop reason is known.
      if (typeof stop?.stop_reason === "string") complete(events);
      else {
        const error = new MidfoldError("UPSTREAM_BROKEN", "The upstream's answer ended before it was finished.");
        events.push({ type: "error", error });
      }
      done = true;
      return events;
    },
  };
}

/** The last event often repeats only the output; what it does not name stays as the first event said. */
function mergeUsage(first: Usage | undefined, last: Usage | undefined, raw: unknown): Usage | undefined {
  if (first === undefined || last === undefined) return last ?? first;
  const namesInput = isJsonObject(raw) && typeof raw.input_tokens === "number";
  return namesInput ? last : { ...first, outputTokens: last.outputTokens };
}
