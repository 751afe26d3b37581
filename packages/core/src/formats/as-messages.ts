import type { Message } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { detectFormat } from "./detect-format.ts";

const partTypes: ReadonlySet<string> = new Set<Part["type"]>([
  "text",
  "image",
  "file",
  "reasoning",
  "tool-call",
  "tool-result",
  "other",
]);

/** Whether an object is a message of Midfold's own model. The AI SDK's UI messages have parts too, but other ones. */
export function isMessage(value: object): value is Message {
  const { parts } = value as { parts?: unknown };
  if (!Array.isArray(parts)) return false;
  return parts.every((part) => partTypes.has(part?.type) && !("filename" in part) && !("state" in part));
}

/**
 * Messages in any known shape (OpenAI, Anthropic, Responses, AI SDK, or Midfold's own) as Midfold's own. What cannot be
 * read is left out; UNKNOWN_FORMAT when that is all of them.
 */
export function asMessages(messages: readonly object[]): readonly Message[] {
  if (messages.every(isMessage)) return messages as readonly Message[];
  if (!messages.some(isMessage)) return detectFormat(messages).decode(messages, { onInvalid: "skip" });
  return messages.flatMap((message) => (isMessage(message) ? [message] : asMessages([message])));
}
