import { type EncodingName, encodingNames } from "./encoding/encoding.ts";
import { defaultFamily } from "./families/default-family.ts";
import type { TokenFamily } from "./families/family.ts";
import { findFamily } from "./families/find-family.ts";
import { TableCounter } from "./table-counter.ts";

/**
 * Counts as OpenAI's tiktoken does. Takes a model or the name of an encoding; without one, `cl100k_base`. A model of
 * another provider gets OpenAI's newest table, and `exact` says that this is not its own.
 */
export class TiktokenCounter extends TableCounter {
  readonly name: string;
  readonly encodingName: EncodingName;
  readonly exact: boolean;

  constructor(modelOrEncoding = "cl100k_base") {
    const named = encodingNames.find((name) => name === aliasOf(modelOrEncoding));
    const family: TokenFamily = (named === undefined ? findFamily(modelOrEncoding) : undefined) ?? defaultFamily;
    const encoding = named ?? family.encoding;
    const exact = named !== undefined || family.text === undefined;
    const { chat, image } = exact ? family : defaultFamily;
    super({ rule: { encoding }, chat, image });
    this.encodingName = encoding;
    this.name = encoding;
    this.exact = exact;
  }

  /** The token ids themselves. */
  encode(text: string): number[] {
    return this.table().encode(text);
  }

  override take(text: string, maxTokens: number): string {
    return this.table().take(text, maxTokens);
  }

  override takeLast(text: string, maxTokens: number): string {
    return this.table().takeLast(text, maxTokens);
  }

  protected measure(text: string): number {
    return this.table().count(text);
  }
}

const aliases: Readonly<Record<string, EncodingName>> = {
  o200k_harmony: "o200k_base",
  gpt2: "r50k_base",
  p50k_edit: "p50k_base",
};

const aliasOf = (name: string) => (Object.hasOwn(aliases, name) ? aliases[name] : name);
