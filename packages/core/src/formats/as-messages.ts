import type { Message } from "../message/message.ts";
import { detectFormat } from "./detect-format.ts";
import { isMessage } from "./own-messages.ts";

/**
 * Messages in any known shape (OpenAI, Anthropic, Responses, AI SDK, or Midfold's own) as Midfold's own. What cannot be
 * read is left out; UNKNOWN_FORMAT when that is all of them.
 */
export function asMessages(messages: readonly object[]): readonly Message[] {
  if (messages.every(isMessage)) return messages as readonly Message[];
  if (!messages.some(isMessage)) return detectFormat(messages).decode(messages, { onInvalid: "skip" });
  return messages.flatMap((message) => (isMessage(message) ? [message] : asMessages([message])));
}
