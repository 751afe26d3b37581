import type { Message, ToolDefinition } from "../message/message.ts";
import type { Encoding } from "./encoding/encoding.ts";
import { getEncoding } from "./encoding/get-encoding.ts";
import type { TokenFamily } from "./families/family.ts";
import { scaleCount } from "./families/scale-count.ts";
import { MessageWeights } from "./message-weights.ts";
import type { PreparableCounter } from "./pool/prepare-counts.ts";
import type { CountRule } from "./pool/text-counts.ts";
import type { TextCacheStatistics } from "./text-cache.ts";

/** Counts as one family of models does: its table, or the nearest one times the family's ratio. */
export class FamilyCounter implements PreparableCounter {
  readonly name: string;
  readonly exact: boolean;
  readonly rule: CountRule;
  /** By how much of itself a count may be wrong. */
  readonly errorBound: number;
  readonly #family: TokenFamily;
  readonly #weights: MessageWeights;
  #encoding: Encoding | undefined;

  constructor(family: TokenFamily) {
    this.#family = family;
    this.name = family.text === undefined ? family.encoding : family.name;
    this.exact = family.text === undefined;
    const { encoding, text } = family;
    this.rule = text === undefined ? { encoding } : { encoding, text };
    this.errorBound = family.errorBound;
    this.#weights = new MessageWeights({
      count: (text) => this.#estimate(text),
      chat: family.chat,
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
    return this.#fit(maxTokens, (tokens) => this.#table().take(text, tokens));
  }

  takeLast(text: string, maxTokens: number): string {
    return this.#fit(maxTokens, (tokens) => this.#table().takeLast(text, tokens));
  }

  uncounted(messages: readonly Message[], minLength: number): string[] {
    return this.#weights.uncounted(messages, minLength);
  }

  remember(text: string, tokens: number, provisional: boolean): void {
    this.#weights.remember(text, tokens, provisional);
  }

  cacheStatistics(): TextCacheStatistics {
    return this.#weights.statistics();
  }

  #estimate(text: string): number {
    const tokens = this.#table().count(text);
    return this.#family.text === undefined ? tokens : scaleCount(text, tokens, this.#family.text);
  }

  /** Cuts by the table's tokens, and less of them until the estimate is within the budget too. */
  #fit(maxTokens: number, cut: (tokens: number) => string): string {
    if (maxTokens < 1) return "";
    const text = this.#family.text;
    // Where the family spends least, a token of the table is worth this much of the budget.
    const least =
      text === undefined ? 1 : Math.min(1, text.latin, text.ideographs, text.otherScripts, text.rareScripts);
    let tokens = Math.floor(maxTokens / least);
    for (;;) {
      const part = cut(tokens);
      const estimate = this.#estimate(part);
      if (estimate <= maxTokens) return part;
      tokens = Math.min(tokens - 1, Math.floor((tokens * maxTokens) / estimate));
    }
  }

  #table(): Encoding {
    this.#encoding ??= getEncoding(this.#family.encoding);
    return this.#encoding;
  }
}
