import type { Message, ToolDefinition } from "../message/message.ts";
import type { Encoding, EncodingName } from "./encoding/encoding.ts";
import { encodingNames } from "./encoding/encoding.ts";
import { getEncoding } from "./encoding/get-encoding.ts";
import type { TokenFamily } from "./families/family.ts";
import { defaultFamily, findFamily } from "./families/find-family.ts";
import { MessageWeights } from "./message-weights.ts";
import type { PreparableCounter } from "./pool/prepare-counts.ts";
import type { CountRule } from "./pool/text-counts.ts";
import type { TextCacheStatistics } from "./text-cache.ts";

/**
 * Counts as OpenAI's tiktoken does. Takes a model or the name of an encoding; without one, `cl100k_base`. A model of
 * another provider gets OpenAI's newest table, and `exact` says that this is not its own.
 */
export class TiktokenCounter implements PreparableCounter {
  readonly name: string;
  readonly encodingName: EncodingName;
  readonly exact: boolean;
  readonly rule: CountRule;
  readonly #weights: MessageWeights;
  #encoding: Encoding | undefined;

  constructor(modelOrEncoding = "cl100k_base") {
    const named = encodingNames.find((name) => name === aliasOf(modelOrEncoding));
    const family: TokenFamily = (named === undefined ? findFamily(modelOrEncoding) : undefined) ?? defaultFamily;
    this.encodingName = named ?? family.encoding;
    this.name = this.encodingName;
    this.rule = { encoding: this.encodingName };
    this.exact = named !== undefined || family.text === undefined;
    const rules = this.exact ? family : defaultFamily;
    this.#weights = new MessageWeights({
      count: (text) => this.#table().count(text),
      chat: rules.chat,
      image: rules.image,
    });
  }

  count(text: string): number {
    return this.#weights.count(text);
  }

  /** The token ids themselves. */
  encode(text: string): number[] {
    return this.#table().encode(text);
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
    return this.#table().take(text, maxTokens);
  }

  takeLast(text: string, maxTokens: number): string {
    return this.#table().takeLast(text, maxTokens);
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

  #table(): Encoding {
    this.#encoding ??= getEncoding(this.encodingName);
    return this.#encoding;
  }
}

const aliases: Readonly<Record<string, EncodingName>> = {
  o200k_harmony: "o200k_base",
  gpt2: "r50k_base",
  p50k_edit: "p50k_base",
};

const aliasOf = (name: string) => (Object.hasOwn(aliases, name) ? aliases[name] : name);
