import type { Message, Part, ReasoningPart } from "@midfold/core";

/**
 * Thinking blocks need a signature, and reasoning from other providers has none, or has one of another kind. What
 * Midfold writes there is recognisable, so that it never reaches Anthropic as if it were Anthropic's own.
 */
const prefix = "midfold.";
const unsigned = `${prefix}unsigned`;
const sealed = `${prefix}sealed.`;

/** The signature a thinking block leaves with. */
export function signatureFor(part: Pick<ReasoningPart, "signature" | "opaque">): string {
  if (part.signature !== undefined) return part.signature;
  return part.opaque === undefined ? unsigned : `${sealed}${part.opaque}`;
}

/** The reasoning part behind a signature of ours; other parts stay as they are. */
export function openSignature(part: Part): Part {
  if (part.type !== "reasoning" || part.signature?.startsWith(prefix) !== true) return part;
  const { signature, ...rest } = part;
  return signature.startsWith(sealed) ? { ...rest, opaque: signature.slice(sealed.length) } : rest;
}

/**
 * The conversation as Anthropic itself may see it: thinking that Midfold signed is left out. Untouched messages keep
 * their identity.
 */
export function withoutSyntheticThinking(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.parts.some(isSyntheticThinking))) return messages;
  return messages.flatMap((message) => {
    if (!message.parts.some(isSyntheticThinking)) return [message];
    const parts = message.parts.filter((part) => !isSyntheticThinking(part));
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}

/** Whether Midfold signed this thought, because whoever had it could not. */
export function isSyntheticThinking(part: Part): boolean {
  return part.type === "reasoning" && part.signature?.startsWith(prefix) === true;
}
