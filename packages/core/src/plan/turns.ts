import type { FormatTraits } from "../formats/format.ts";
import type { Message } from "../message/message.ts";
import type { Side } from "../message/turn-lines.ts";

/**
 * Whose turn a message is; undefined where it is nobody's. Where a protocol demands turns, tool results are the user's.
 * Elsewhere it is the chat templates of local models that demand them, and those count neither calls nor results.
 */
export function sideOf(
  { role, parts }: Message,
  /** The message that is sent right after it. */
  next: Message | undefined,
  traits: Pick<FormatTraits, "alternates">,
): Side | undefined {
  if (role === "system") return undefined;
  if (traits.alternates) return role === "assistant" ? "assistant" : "user";
  if (role !== "assistant") return role === "user" ? "user" : undefined;
  // Words that stand before a call in an item of their own go out as one message with it.
  const works = callsTools(parts) || (next?.role === "assistant" && callsTools(next.parts));
  return works || parts.every(({ type }) => type === "reasoning") ? undefined : "assistant";
}

/** Whose words a frame before this message must not join: calls of tools are the assistant's. */
export function speakerOf(message: Message | undefined): Side | undefined {
  if (message === undefined || message.role === "system") return undefined;
  return message.role === "assistant" ? "assistant" : "user";
}

/** The role that speaks first, after the system prompt. */
export function firstSpeaker(messages: readonly Message[]): Message["role"] | undefined {
  return messages.find((message) => message.role !== "system")?.role;
}

/** Whose turn it was last. */
export function lastSide(messages: readonly Message[], traits: Pick<FormatTraits, "alternates">): Side | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const side = sideOf(messages[index]!, messages[index + 1], traits);
    if (side !== undefined) return side;
  }
  return undefined;
}

function callsTools(parts: Message["parts"]): boolean {
  return parts.some((part) => part.type === "tool-call" && part.hosted !== true);
}
