import type { WireConversation } from "../generate/arbitrary-conversation.ts";
import { anthropicProtocol } from "./anthropic/anthropic-protocol.ts";
import { chatProtocol } from "./chat/chat-protocol.ts";
import type { JsonObject } from "./json.ts";
import type { Problem } from "./problem.ts";
import type { Memory } from "./protocol.ts";
import { responsesProtocol } from "./responses/responses-protocol.ts";
import type { SimulatorOptions } from "./simulator.ts";

/**
 * What a strict provider would say about a conversation, without a server in between: undefined when it is accepted.
 * For property tests over whatever a fold puts out.
 */
export function validateWire(
  conversation: Pick<WireConversation, "format" | "system" | "messages">,
  options: Partial<SimulatorOptions> = {},
): Problem | undefined {
  const memory: Memory = { thoughtsByCall: new Map(), responses: new Map() };
  const headers = { authorization: "Bearer key", "x-api-key": "key", "anthropic-version": "2023-06-01" };
  const view = (body: JsonObject, protocol: SimulatorOptions["protocol"]) => ({
    headers,
    body,
    memory,
    options: { protocol, ...options },
    purpose: "reply" as const,
  });
  const { format, messages, system } = conversation;
  switch (format) {
    case "openai-chat":
      return chatProtocol.validate(view({ model: "m", messages }, "openai-chat"));
    case "anthropic-messages": {
      const beside = system === undefined ? {} : { system };
      return anthropicProtocol.validate(
        view({ model: "m", max_tokens: 1_024, messages, ...beside }, "anthropic-messages"),
      );
    }
    case "openai-responses": {
      const beside = system === undefined ? {} : { instructions: system };
      return responsesProtocol.validate(view({ model: "m", input: messages, ...beside }, "openai-responses"));
    }
    case "ai-sdk":
      throw new TypeError("AI SDK messages are no provider's wire format: convert them first");
  }
}
