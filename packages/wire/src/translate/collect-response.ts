import { MidfoldError, type Part } from "@midfold/core";
import { compact } from "../neutral/json-object.ts";
import type { FinishReason, NeutralResponse, Usage } from "../neutral/neutral-response.ts";
import type { StreamEvent } from "../neutral/stream-event.ts";
import { argumentText } from "./parse-arguments.ts";

export interface ResponseCollector {
  push(event: StreamEvent): void;
  /** The whole answer; throws the stream's error, or UPSTREAM_BROKEN when it never finished. */
  result(): NeutralResponse;
}

/** Gathers the events of a stream into a whole answer, for clients that did not ask for a stream. */
export function createResponseCollector(): ResponseCollector {
  const parts = new Map<number, Part>();
  let head: { id?: string; model?: string } = {};
  let usage: Usage | undefined;
  let finish: FinishReason | undefined;
  let stopSequence: string | undefined;
  let error: MidfoldError | undefined;

  const add = (index: number, text: string): void => {
    const part = parts.get(index);
    if (part?.type === "tool-call") parts.set(index, { ...part, input: part.input + text });
    else if (part?.type === "text" || part?.type === "reasoning") parts.set(index, { ...part, text: part.text + text });
  };

  return {
    push(event) {
      switch (event.type) {
        case "response-start":
          head = compact({ id: event.id, model: event.model });
          break;
        case "text-start":
          parts.set(event.index, { type: "text", text: "" });
          break;
        case "reasoning-start":
          parts.set(event.index, compact({ type: "reasoning" as const, text: "", opaque: event.opaque }));
          break;
        case "tool-call-start": {
          const { id, name, custom, hosted } = event;
          parts.set(event.index, compact({ type: "tool-call" as const, id, name, input: "", custom, hosted }));
          break;
        }
        case "text-delta":
        case "reasoning-delta":
        case "tool-call-delta":
          add(event.index, event.text);
          break;
        case "reasoning-end": {
          const part = parts.get(event.index);
          const { signature, opaque } = event;
          if (part?.type === "reasoning") parts.set(event.index, { ...part, ...compact({ signature, opaque }) });
          break;
        }
        case "tool-call-end": {
          const part = parts.get(event.index);
          if (part?.type !== "tool-call" || part.custom === true) break;
          parts.set(event.index, { ...part, input: argumentText(part.input) });
          break;
        }
        case "part-available":
          parts.set(event.index, event.part);
          break;
        case "usage-available":
          usage = event.usage;
          break;
        case "finish":
          finish = event.reason;
          stopSequence = event.stopSequence;
          break;
        case "error":
          error = event.error;
      }
    },
    result() {
      if (error !== undefined) throw error;
      if (finish === undefined) throw new MidfoldError("UPSTREAM_BROKEN", "The upstream's answer was never finished.");
      const ordered = [...parts.entries()].sort(([left], [right]) => left - right).map(([, part]) => part);
      const said = ordered.filter((part) => part.type !== "text" || part.text !== "");
      return compact({ ...head, parts: said, finish, stopSequence, usage });
    },
  };
}
