import type { Message, ToolDefinition } from "../message/message.ts";
import type { ChatRule } from "./families/family.ts";
import type { ImageRule } from "./image-tokens.ts";
import { MessageWeights } from "./message-weights.ts";
import type { TextCacheStatistics } from "./text-cache.ts";
import type { TokenCounter } from "./token-counter.ts";
import type { ToolChoice } from "./tool-choice.ts";

/** What is the same in every counter: weighing messages and tools by a family's rules, nothing of it twice. */
export abstract class ChatCounter implements TokenCounter {
  abstract readonly name: string;
  abstract readonly exact: boolean;
  protected readonly weights: MessageWeights;

  constructor({ chat, image }: { readonly chat: ChatRule; readonly image: ImageRule }) {
    this.weights = new MessageWeights({ count: (text) => this.measure(text), chat, image });
  }

  /** Counts a text that is not in the cache. */
  protected abstract measure(text: string): number;
  abstract take(text: string, maxTokens: number): string;
  abstract takeLast(text: string, maxTokens: number): string;

  get steady(): boolean {
    return this.weights.settled;
  }

  count(text: string): number {
    return this.weights.count(text);
  }

  countMessage(message: Message | object): number {
    return this.weights.ofMessage(message);
  }

  countMessages(messages: readonly (Message | object)[]): number {
    return this.weights.ofMessages(messages);
  }

  countTools(tools: readonly ToolDefinition[], choice?: ToolChoice): number {
    return this.weights.ofTools(tools, choice);
  }

  cacheStatistics(): TextCacheStatistics {
    return this.weights.statistics();
  }
}
