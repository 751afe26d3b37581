import type { Part } from "@midfold/core";
import type { TurnEvent } from "../../api/events.ts";
import type { ReplyEvent, ReplyFinish, ReplyUsage } from "../models/chat-models.ts";

/** A reply as it grows. */
export interface CollectedReply {
  /** Adds one event and returns the event for the reader, if there is one. */
  add(event: ReplyEvent, messageId: string): TurnEvent | undefined;
  readonly parts: readonly Part[];
  readonly started: boolean;
  readonly finish: ReplyFinish | undefined;
  readonly usage: ReplyUsage | undefined;
  readonly model: string | undefined;
}

export function collectReply(): CollectedReply {
  const parts: Part[] = [];
  let ending: Extract<ReplyEvent, { type: "end" }> | undefined;

  const extend = (type: "text" | "reasoning", text: string) => {
    const last = parts.at(-1);
    if (last?.type === type) parts[parts.length - 1] = { ...last, text: last.text + text };
    else parts.push({ type, text });
  };

  return {
    add(event, messageId) {
      switch (event.type) {
        case "text":
        case "reasoning":
          if (event.text === "") return undefined;
          extend(event.type, event.text);
          return { type: `reply.${event.type}`, messageId, text: event.text };
        case "part": {
          const { part } = event;
          const last = parts.at(-1);
          // Signed reasoning arrives once more as a whole, and replaces what was collected word by word.
          if (part.type === "reasoning" && last?.type === "reasoning") parts[parts.length - 1] = part;
          else parts.push(part);
          if (part.type !== "tool-call") return undefined;
          return { type: "reply.tool-call", messageId, id: part.id, name: part.name, input: part.input };
        }
        case "end":
          ending = event;
          return undefined;
      }
    },
    parts,
    get started() {
      return parts.length > 0;
    },
    get finish() {
      return ending?.finish;
    },
    get usage() {
      return ending?.usage;
    },
    get model() {
      return ending?.model;
    },
  };
}
