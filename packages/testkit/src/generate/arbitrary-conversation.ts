import type { FormatName, Message } from "@midfold/core";
import fc from "fast-check";
import { arbitraryDraft } from "./arbitrary-draft.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import type { Draft } from "./draft.ts";
import { toAiSdk } from "./to-ai-sdk.ts";
import { toAnthropicMessages } from "./to-anthropic-messages.ts";
import { toLangchain } from "./to-langchain.ts";
import { type MessageShape, toMessages } from "./to-messages.ts";
import { toOpenaiChat, type WireObject } from "./to-openai-chat.ts";
import { toOpenaiResponses } from "./to-openai-responses.ts";

export interface NeutralOptions extends ConversationOptions {
  /** How results and parts are cut into messages; all three ways when absent. */
  readonly shape?: MessageShape;
}

/** A conversation in the neutral model, as any of the formats would have decoded it (without `source`). */
export function arbitraryConversation(options: NeutralOptions = {}): fc.Arbitrary<Message[]> {
  const shape =
    options.shape === undefined
      ? fc.constantFrom<MessageShape>("separate", "grouped", "items")
      : fc.constant(options.shape);
  return fc.tuple(arbitraryDraft(options), shape).map(([draft, chosen]) => toMessages(draft, { shape: chosen }));
}

/** A conversation as one wire format carries it: the list, and the system prompt where it travels beside the list. */
export interface WireConversation {
  readonly format: FormatName;
  readonly system?: string;
  readonly messages: WireObject[];
}

export function arbitraryWireConversation(
  format: FormatName,
  options: ConversationOptions = {},
): fc.Arbitrary<WireConversation> {
  return arbitraryDraft(fitSwitches(format, options)).map((draft) => writeWire(format, draft));
}

/** The draft in the given wire format. */
export function writeWire(format: FormatName, draft: Draft): WireConversation {
  switch (format) {
    case "openai-chat":
      return { format, messages: toOpenaiChat(draft) };
    case "anthropic-messages":
      return { format, ...toAnthropicMessages(draft) };
    case "ai-sdk":
      return { format, messages: toAiSdk(draft) };
    case "langchain":
      return { format, messages: toLangchain(draft) };
    case "openai-responses": {
      const { instructions, input } = toOpenaiResponses(draft);
      return instructions === undefined
        ? { format, messages: input }
        : { format, system: instructions, messages: input };
    }
  }
}

/** What "valid" excludes differs by provider: Anthropic has no free-text tools and, by default, no later system turns. */
function fitSwitches(format: FormatName, options: ConversationOptions): ConversationOptions {
  if (options.valid !== true) return options;
  const narrower =
    format === "anthropic-messages" || format === "ai-sdk" ? { laterSystem: false, customTools: false } : {};
  return { ...options, switches: { ...narrower, ...options.switches } };
}
