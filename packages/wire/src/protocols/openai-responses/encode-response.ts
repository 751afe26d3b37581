import type { Part } from "@midfold/core";
import type { NeutralResponse } from "../../neutral/neutral-response.ts";
import type { Reply } from "../../neutral/protocol.ts";
import { describeHosted } from "../../translate/describe-part.ts";
import { incompleteReason, replyEnvelope } from "./reply-envelope.ts";
import {
  callItem,
  compactionItem,
  itemId,
  messageItem,
  type ReplyItem,
  reasoningItem,
  toolsByName,
} from "./reply-items.ts";
import { sealThinking } from "./sealed-thinking.ts";

export function encodeResponse(response: NeutralResponse, reply: Reply): unknown {
  const reason = incompleteReason(response.finish);
  const usage = response.usage ?? { inputTokens: reply.estimatedInputTokens, outputTokens: 0 };
  return {
    ...replyEnvelope(reply, replyItems(response.parts, reply), { status: reason ? "incomplete" : "completed", usage }),
    incomplete_details: reason === undefined ? null : { reason },
  };
}

function replyItems(parts: readonly Part[], reply: Reply): ReplyItem[] {
  const tools = toolsByName(reply);
  const items: ReplyItem[] = [];
  for (const part of parts) {
    const place = items.length;
    if (part.type === "text") items.push(messageItem(itemId("msg", reply, place), part.text));
    else if (part.type === "reasoning") {
      const sealed = sealThinking(part);
      if (reply.hideReasoning === true && sealed === undefined) continue;
      items.push(reasoningItem(itemId("rs", reply, place), reply.hideReasoning === true ? "" : part.text, sealed));
    } else if ((part.type === "tool-call" || part.type === "tool-result") && part.hosted === true) {
      items.push(messageItem(itemId("msg", reply, place), describeHosted(part)));
    } else if (part.type === "tool-call") {
      const custom = part.custom === true;
      const id = itemId(custom ? "ctc" : "fc", reply, place);
      items.push(callItem(id, { id: part.id, name: part.name, input: part.input, custom }, tools));
    } else {
      const compaction = compactionItem(itemId("cmp", reply, place), part);
      if (compaction !== undefined) items.push(compaction);
    }
  }
  return items;
}
