import { MidfoldError } from "../errors/midfold-error.ts";
import { fold } from "../fold/fold.ts";
import type { FoldOptions } from "../fold/fold-options.ts";
import { asMessages } from "../formats/as-messages.ts";
import { presets } from "../presets/presets.ts";
import { runSummary } from "../summary/run-summary.ts";
import { type SummarizeFunction, type Summarizer, toSummarizer } from "../summary/summarizer.ts";
import { templates } from "../summary/templates.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

export interface ContextCompactorOptions {
  /** A prompt of your own, with `{conversation_history}` where the transcript belongs. */
  readonly summaryPrompt?: string;
  readonly maxSummaryTokens?: number;
}

/** What a frame costs beside its text. */
const frameOverhead = 160;

/** Old conversation becomes one summary message, recent messages stay. */
export class ContextCompactor {
  readonly llm: Summarizer;
  readonly summaryPrompt: string;
  readonly maxSummaryTokens: number;

  constructor(
    llm: Summarizer | SummarizeFunction,
    { summaryPrompt = templates.general, maxSummaryTokens = 500 }: ContextCompactorOptions = {},
  ) {
    this.llm = toSummarizer(llm);
    this.summaryPrompt = summaryPrompt;
    this.maxSummaryTokens = maxSummaryTokens;
  }

  /** The messages within `targetTokens`. When the summary fails, the digest stands in: the target holds either way. */
  async compact<Wire>(
    messages: readonly Wire[],
    targetTokens: number,
    counter: TokenCounter,
  ): Promise<readonly Wire[]> {
    return (await fold(messages, { ...this.foldOptions, counter, budget: targetTokens })).messages;
  }

  /** How the engine is set up to compact: the first and last messages stay, and one summary of at most `maxSummaryTokens`. */
  get foldOptions(): FoldOptions {
    const maxFrameTokens = this.maxSummaryTokens + frameOverhead;
    return {
      preset: { ...presets.agent, name: "compactor", replace: "summary", maxFrameTokens },
      summarizer: this.llm,
      summary: { prompt: this.summaryPrompt },
      onInvalid: "skip",
    };
  }

  /** One summary of the given messages. Throws SUMMARY_FAILED when the model gives none. */
  async summarizeMessages(messages: readonly object[]): Promise<string> {
    if (messages.length === 0) throw new MidfoldError("VALIDATION_ERROR", "There are no messages to summarize.");
    const { text } = await runSummary({
      summarizer: this.llm,
      messages: asMessages(messages),
      counter: getCounter("gpt-4o"),
      maxTokens: this.maxSummaryTokens,
      policy: { fallback: "throw", ledgerShare: 0 },
      now: () => 0,
      sleep: () => Promise.resolve(),
      prompt: { prompt: this.summaryPrompt },
    });
    return text;
  }
}
