import { ChatCounter } from "./chat-counter.ts";
import { estimateText } from "./estimate-text.ts";
import { defaultFamily } from "./families/default-family.ts";

/** How much earlier folding starts when counts are estimates. */
export const approximateFactor = 0.85;

export interface ApproximateCounterOptions {
  readonly tokensPerWord?: number;
}

/**
 * Counts without a table, for models nobody knows: characters ÷ 4 or words × `tokensPerWord`, whichever is more, and
 * never less than what the runs of the text are worth (`estimateText`).
 */
export class ApproximateCounter extends ChatCounter {
  readonly name = "approximate";
  readonly exact = false;
  readonly tokensPerWord: number;

  constructor(options: ApproximateCounterOptions = {}) {
    super(defaultFamily);
    this.tokensPerWord = options.tokensPerWord ?? 1.3;
  }

  protected measure(text: string): number {
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
