import type { TokenFamily } from "./families/family.ts";
import { scaleCount } from "./families/scale-count.ts";
import { TableCounter } from "./table-counter.ts";

/** Counts as one family of models does: its table, or the nearest one times the family's ratio. */
export class FamilyCounter extends TableCounter {
  readonly name: string;
  readonly exact: boolean;
  /** By how much of itself a count may be wrong. */
  readonly errorBound: number;
  readonly #family: TokenFamily;

  constructor(family: TokenFamily) {
    const { encoding, text, chat, image } = family;
    super({ rule: text === undefined ? { encoding } : { encoding, text }, chat, image });
    this.#family = family;
    this.name = text === undefined ? encoding : family.name;
    this.exact = text === undefined;
    this.errorBound = family.errorBound;
  }

  override take(text: string, maxTokens: number): string {
    return this.#fit(maxTokens, (tokens) => this.table().take(text, tokens));
  }

  override takeLast(text: string, maxTokens: number): string {
    return this.#fit(maxTokens, (tokens) => this.table().takeLast(text, tokens));
  }

  protected measure(text: string): number {
    const tokens = this.table().count(text);
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
      const estimate = this.measure(part);
      if (estimate <= maxTokens) return part;
      tokens = Math.min(tokens - 1, Math.floor((tokens * maxTokens) / estimate));
    }
  }
}
