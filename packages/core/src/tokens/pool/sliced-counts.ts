import { getEncoding } from "../encoding/get-encoding.ts";
import { scaleCount } from "../families/scale-count.ts";
import { overEstimate } from "../over-estimate.ts";
import type { CountedText, CountRule, TextCounts } from "./text-counts.ts";

export interface SlicedCountsOptions {
  /** Lets other work run; a timer of no length unless told. */
  readonly pause?: () => Promise<void>;
}

/** Counts on the calling thread, a part of about 32 000 characters at a time. For places without worker threads. */
export class SlicedCounts implements TextCounts {
  readonly #pause: () => Promise<void>;

  constructor(options: SlicedCountsOptions = {}) {
    this.#pause = options.pause ?? (() => new Promise((resolve) => setTimeout(resolve)));
  }

  async count(text: string, rule: CountRule, signal?: AbortSignal): Promise<CountedText> {
    const encoding = getEncoding(rule.encoding);
    let tokens = 0;
    for (let from = 0; from < text.length; ) {
      if (signal?.aborted === true) return { tokens: tokens + scaled(text.slice(from), rule), estimated: true };
      const part = encoding.countPart(text, from);
      const counted = text.slice(from, part.to);
      tokens += rule.text === undefined ? part.tokens : scaleCount(counted, part.tokens, rule.text);
      from = part.to;
      if (from < text.length) await this.#pause();
    }
    return { tokens, estimated: false };
  }
}

function scaled(rest: string, rule: CountRule): number {
  const most = overEstimate(rest);
  return rule.text === undefined ? most : scaleCount(rest, most, rule.text);
}
