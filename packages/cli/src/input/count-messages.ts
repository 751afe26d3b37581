import { detectFormat, type Format, type FormatName, getCounter, type Message, type TokenCounter } from "@midfold/core";
import type { CliContext } from "../context.ts";
import { showProgress } from "../output/show-progress.ts";
import type { ReadConversation } from "./read-conversation.ts";

export interface CountedConversation {
  readonly format: Format;
  readonly messages: readonly Message[];
  /** Tokens of each message. */
  readonly weights: readonly number[];
  readonly counter: TokenCounter;
}

/** Counts a conversation message by message, so that progress can be shown. Counts are remembered. */
export async function countMessages(
  context: CliContext,
  conversation: ReadConversation,
  model: string,
  wanted?: string,
): Promise<CountedConversation> {
  const counter = getCounter(model);
  const format = detectFormat(conversation.messages, {
    format: (wanted as FormatName | undefined) ?? conversation.format,
  });
  const messages = format.decode(conversation.messages);
  const progress = showProgress(context, "counting");
  const weights: number[] = [];
  for (const [index, message] of messages.entries()) {
    weights.push(counter.countMessage(message));
    await progress.report(index + 1, messages.length);
  }
  progress.end();
  return { format, messages, weights, counter };
}
