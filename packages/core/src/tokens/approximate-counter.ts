import type { Message, ToolDefinition } from "../message/message.ts";
import { fitEnd, fitStart } from "./encoding/fit-text.ts";
import { estimateText } from "./estimate-text.ts";
import { defaultFamily } from "./families/find-family.ts";
import { MessageWeights } from "./message-weights.ts";
import type { TextCacheStatistics } from "./text-cache.ts";
import type { TokenCounter } from "./token-counter.ts";

export interface ApproximateCounterOptions {
  readonly tokensPerWord?: number;
}

/**
 * Counts without a table, for models nobody knows: characters ÷ 4 or words × `tokensPerWord`, whichever is more, and
 * never less than what the runs of the text are worth (`estimateText`).
 */
export class ApproximateCounter implements TokenCounter {
  readonly name = "approximate";
  readonly exact = false;
  readonly tokensPerWord: number;
  readonly #weights: MessageWeights;

  constructor(options: ApproximateCounterOptions = {}) {
    this.tokensPerWord = options.tokensPerWord ?? 1.3;
    this.#weights = new MessageWeights({
      count: (text) => this.#estimate(text),
      chat: defaultFamily.chat,
      image: defaultFamily.image,
    });
  }

  count(text: string): number {
    return this.#weights.count(text);
  }

  countMessage(message: Message): number {
    return this.#weights.ofMessage(message);
  }

  countMessages(messages: readonly Message[]): number {
    return this.#weights.ofMessages(messages);
  }

  countTools(tools: readonly ToolDefinition[]): number {
    return this.#weights.ofTools(tools);
  }

  take(text: string, maxTokens: number): string {
    return fitStart(text, maxTokens, (start) => this.#estimate(start), 4);
  }

  takeLast(text: string, maxTokens: number): string {
    return fitEnd(text, maxTokens, (end) => this.#estimate(end), 4);
  }

  cacheStatistics(): TextCacheStatistics {
    return this.#weights.statistics();
  }

  #estimate(text: string): number {
    const byLength = text.length / 4;
    const byWords = countWords(text) * this.tokensPerWord;
    return Math.ceil(Math.max(byLength, byWords, estimateText(text)));
  }
}

function countWords(text: string): number {
  let words = 0;
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const blank = unit === 32 || (unit >= 9 && unit <= 13) || unit === 0xa0;
    if (!blank && !inside) words++;
    inside = !blank;
  }
  return words;
}
