import type { Protocol, ProtocolName } from "../neutral/protocol.ts";
import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";

/** Every protocol by name. */
export const protocols: Readonly<Record<ProtocolName, Protocol>> = {
  "anthropic-messages": anthropicMessages,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
};
