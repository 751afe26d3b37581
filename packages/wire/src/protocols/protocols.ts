import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";
import type { Protocol, ProtocolName } from "./protocol.ts";

/** Every protocol by name. */
export const protocols: Readonly<Record<ProtocolName, Protocol>> = {
  "anthropic-messages": anthropicMessages,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
};
