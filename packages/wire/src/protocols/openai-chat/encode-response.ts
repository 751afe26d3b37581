import { formats, type Part } from "@midfold/core";
import type { ChatCompletion } from "openai/resources/chat/completions";
import type { NeutralResponse } from "../../neutral/neutral-response.ts";
import type { Reply } from "../../neutral/protocol.ts";
import { describeHosted } from "../../translate/describe-part.ts";
import { encodeFinish } from "./finish.ts";
import { encodeUsage } from "./usage.ts";

export function encodeResponse(response: NeutralResponse, reply: Reply): ChatCompletion {
  const parts = response.parts.flatMap((part) => portable(part, reply));
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const rest = parts.filter((part) => part.type !== "text");
  const joined: Part[] = text === "" ? rest : [...rest, { type: "text", text }];
  const message = formats["openai-chat"].encode({
    role: "assistant",
    parts: joined,
  }) as ChatCompletion.Choice["message"];
  return {
    id: reply.id,
    object: "chat.completion",
    created: reply.createdAt,
    model: reply.model,
    choices: [
      {
        index: 0,
        message: { ...message, content: text === "" ? null : text, refusal: null },
        logprobs: null,
        finish_reason: encodeFinish(response.finish),
      },
    ],
    usage: encodeUsage(response.usage ?? { inputTokens: reply.estimatedInputTokens, outputTokens: 0 }),
  };
}

/** Parts this protocol has a place for; tools that the provider ran are told in words. */
function portable(part: Part, reply: Reply): Part[] {
  if (part.type === "other") return [];
  if (part.type === "reasoning" && reply.hideReasoning === true) return [];
  if ((part.type === "tool-call" || part.type === "tool-result") && part.hosted === true) {
    return [{ type: "text", text: describeHosted(part) }];
  }
  const { source: _, ...bare } = part;
  return [bare as Part];
}
