import { nextTurn, type Pause } from "../encoding/finish.ts";
import { loadEncoding } from "../encoding/get-encoding.ts";
import { scaleCount } from "../families/scale-count.ts";
import { overEstimate } from "../over-estimate.ts";
import type { CountedText, CountRule, TextCounts } from "./text-counts.ts";

export interface SlicedCountsOptions {
  /** Lets other work run; a timer of no length unless told. */
  readonly pause?: Pause;
}

/** A longer run without a place to cut (no text that anybody wrote) takes too long even in steps: it is over-estimated. */
const mostUnbroken = 1_048_576;

/** Counts on the calling thread, a part of about 32 000 characters at a time. For places without worker threads. */
export class SlicedCounts implements TextCounts {
  readonly #pause: Pause;

  constructor(options: SlicedCountsOptions = {}) {
    this.#pause = options.pause ?? nextTurn;
  }

  async count(text: string, rule: CountRule, signal?: AbortSignal): Promise<CountedText> {
    const encoding = await loadEncoding(rule.encoding, this.#pause);
    let tokens = 0;
    let estimated = false;
    for (let from = 0; from < text.length; ) {
      const to = encoding.partEnd(text, from);
      const part = text.slice(from, to);
      if (to - from > mostUnbroken) {
        tokens += overEstimate(part, rule.text);
        estimated = true;
      } else {
        const counted = await this.#finish(encoding.countSteps(text, from, to), signal);
        if (counted === undefined)
          return { tokens: tokens + overEstimate(text.slice(from), rule.text), estimated: true };
        tokens += rule.text === undefined ? counted : scaleCount(part, counted, rule.text);
      }
      from = to;
      if (from < text.length) await this.#pause();
    }
    return { tokens, estimated };
  }

  /** What the steps come to, or undefined where they were stopped. */
  async #finish(steps: Generator<undefined, number>, signal: AbortSignal | undefined): Promise<number | undefined> {
    while (signal?.aborted !== true) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await this.#pause();
    }
    return undefined;
  }
}
