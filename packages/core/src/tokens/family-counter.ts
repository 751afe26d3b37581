import type { Message, ToolDefinition } from "../message/message.ts";
import type { Encoding } from "./encoding/encoding.ts";
import { getEncoding } from "./encoding/get-encoding.ts";
import type { TokenFamily } from "./families/family.ts";
import { MessageWeights } from "./message-weights.ts";
import type { TextCacheStatistics } from "./text-cache.ts";
import type { TokenCounter } from "./token-counter.ts";

/** Counts as one family of models does: its table, or the nearest one times the family's ratio. */
export class FamilyCounter implements TokenCounter {
  readonly name: string;
  readonly exact: boolean;
  readonly #family: TokenFamily;
  readonly #weights: MessageWeights;
  #encoding: Encoding | undefined;

  constructor(family: TokenFamily) {
    this.#family = family;
    this.name = family.exact ? family.encoding : family.name;
    this.exact = family.exact;
    this.#weights = new MessageWeights({
      count: (text) => Math.ceil(this.#table().count(text) * family.ratio),
      overhead: family.overhead,
      image: family.image,
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
    return this.#table().take(text, Math.floor(maxTokens / this.#family.ratio));
  }

  takeLast(text: string, maxTokens: number): string {
    return this.#table().takeLast(text, Math.floor(maxTokens / this.#family.ratio));
  }

  cacheStatistics(): TextCacheStatistics {
    return this.#weights.statistics();
  }

  #table(): Encoding {
    this.#encoding ??= getEncoding(this.#family.encoding);
    return this.#encoding;
  }
}
