import { formats, type Part } from "@midfold/core";
import { isJsonObject } from "../../neutral/json-object.ts";
import type { ReplyContext } from "../../neutral/protocol.ts";
import { describeOther } from "../../translate/describe-part.ts";
import { fitName } from "../../translate/fit-name.ts";
import { signatureFor } from "./synthetic-signature.ts";

const toolId = { pattern: /^[A-Za-z0-9_-]+$/, length: 64 };

/** An id this API's clients accept; history that comes back with it still matches. */
export function replyToolId(id: string): string {
  return fitName(id, toolId);
}

/** The blocks of an answer, one for each part that has something to say. */
export function replyBlocks(parts: readonly Part[], reply: ReplyContext): unknown[] {
  return parts.flatMap((part) => replyBlock(part, reply));
}

function replyBlock(part: Part, reply: ReplyContext): unknown[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text, citations: null }];
    case "reasoning": {
      if (part.opaque !== undefined && part.text === "") return [{ type: "redacted_thinking", data: part.opaque }];
      const sealed = part.signature !== undefined || part.opaque !== undefined;
      if (reply.hideReasoning === true && !sealed) return [];
      const thinking = reply.hideReasoning === true ? "" : part.text;
      return [{ type: "thinking", thinking, signature: signatureFor(part) }];
    }
    case "tool-call":
      return [encode({ ...withoutSource(part), id: replyToolId(part.id) })];
    case "other": {
      const text = describeOther(part);
      if (text !== undefined) return [{ type: "text", text, citations: null }];
      return isJsonObject(part.source) ? [part.source] : [];
    }
    default:
      return [part.source ?? encode(part)];
  }
}

function withoutSource<TPart extends Part>(part: TPart): TPart {
  const { source: _, ...rest } = part;
  return rest as TPart;
}

function encode(part: Part): unknown {
  const wire = formats["anthropic-messages"].encode({ role: "assistant", parts: [part] });
  return isJsonObject(wire) && Array.isArray(wire.content) ? wire.content[0] : undefined;
}
