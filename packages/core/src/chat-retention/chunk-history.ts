import type { Message } from "../message/message.ts";
import { chatCuts } from "./chat-cuts.ts";

/**
 * Divides history that is too long for one summarisation into stretches of at most `maxTokens`, at legal cuts. A stretch
 * that cannot be divided stays whole even when it is larger.
 */
export function chunkHistory(
  messages: readonly Message[],
  weights: ArrayLike<number>,
  maxTokens: number,
): readonly (readonly Message[])[] {
  const chunks: (readonly Message[])[] = [];
  let start = { messages: 0, foldedTokens: 0 };
  let end = start;
  for (const cut of chatCuts(messages, weights)) {
    if (cut.foldedTokens - start.foldedTokens > maxTokens && end.messages > start.messages) {
      chunks.push(messages.slice(start.messages, end.messages));
      start = end;
    }
    end = cut;
  }
  if (start.messages < messages.length) chunks.push(messages.slice(start.messages));
  return chunks;
}
