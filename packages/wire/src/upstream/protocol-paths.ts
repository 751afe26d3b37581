import type { ProtocolName } from "../neutral/protocol.ts";

/** Where a protocol's endpoints are, below an upstream's base URL. */
export interface ProtocolPaths {
  /** Asks for an answer. */
  readonly answer: string;
  readonly countTokens?: string;
  /** Asks for items that stand for a conversation. */
  readonly compact?: string;
  readonly models: string;
}

/** OpenAI's base URL ends in /v1, Anthropic's does not: both as their own SDKs take them. */
export const protocolPaths: Readonly<Record<ProtocolName, ProtocolPaths>> = {
  "anthropic-messages": {
    answer: "/v1/messages",
    countTokens: "/v1/messages/count_tokens",
    models: "/v1/models",
  },
  "openai-chat": { answer: "/chat/completions", models: "/models" },
  "openai-responses": {
    answer: "/responses",
    countTokens: "/responses/input_tokens",
    compact: "/responses/compact",
    models: "/models",
  },
};
