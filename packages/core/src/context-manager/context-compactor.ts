import { MidfoldError } from "../errors/midfold-error.ts";
import { fold } from "../fold/fold.ts";
import { detectFormat } from "../formats/detect-format.ts";
import { presets } from "../presets/presets.ts";
import { runSummary } from "../summary/run-summary.ts";
import type { Summarizer } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

export interface ContextCompactorOptions {
  /** A prompt of one's own, with `{conversation_history}` where the transcript belongs. */
  readonly summaryPrompt?: string;
  readonly maxSummaryTokens?: number;
}

/** R2 FR-4.1: old conversation becomes one summary message, recent messages stay. */
export class ContextCompactor {
  readonly llm: Summarizer;
  readonly summaryPrompt: string | undefined;
  readonly maxSummaryTokens: number;

  constructor(llm: Summarizer, { summaryPrompt, maxSummaryTokens = 500 }: ContextCompactorOptions = {}) {
    this.llm = llm;
    this.summaryPrompt = summaryPrompt;
    this.maxSummaryTokens = maxSummaryTokens;
  }

  /** The messages within `targetTokens`. When the summary fails, the digest stands in: the target holds either way. */
  async compact<Wire>(
    messages: readonly Wire[],
    targetTokens: number,
    counter: TokenCounter,
  ): Promise<readonly Wire[]> {
    const preset = {
      ...presets.agent,
      name: "compactor",
      replace: "summary",
      maxFrameTokens: this.maxSummaryTokens + 160,
    } as const;
    const { messages: compacted } = await fold(messages, {
      counter,
      budget: targetTokens,
      preset,
      summarizer: this.llm,
      onInvalid: "skip",
      ...this.#prompt(),
    });
    return compacted;
  }

  /** One summary of the given messages. Throws SUMMARY_FAILED when the model gives none. */
  async summarizeMessages(messages: readonly unknown[]): Promise<string> {
    if (messages.length === 0) throw new MidfoldError("VALIDATION_ERROR", "There are no messages to summarize.");
    const { text } = await runSummary({
      summarizer: this.llm,
      messages: detectFormat(messages).decode(messages, { onInvalid: "skip" }),
      counter: getCounter("gpt-4o"),
      maxTokens: this.maxSummaryTokens,
      policy: { fallback: "throw", ledgerShare: 0 },
      now: () => 0,
      sleep: () => Promise.resolve(),
      prompt: this.#prompt().summary ?? {},
    });
    return text;
  }

  #prompt() {
    return this.summaryPrompt === undefined ? {} : { summary: { prompt: this.summaryPrompt } };
  }
}
