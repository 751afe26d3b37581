import { aiSdk } from "./ai-sdk/ai-sdk.ts";
import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import type { Format, FormatName } from "./format.ts";
import { langchain } from "./langchain/langchain.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";

/** Every format by name. The order settles a tie in detection: plain text messages are OpenAI chat. */
export const formats: Readonly<Record<FormatName, Format>> = {
  "openai-chat": openaiChat,
  "anthropic-messages": anthropicMessages,
  "openai-responses": openaiResponses,
  "ai-sdk": aiSdk,
  langchain,
};
