import type { TokenCounter } from "../tokens/token-counter.ts";
import { summarizeByExtraction } from "./summarize-by-extraction.ts";
import type { Summarizer } from "./summarizer.ts";

/**
 * A summarizer that needs no key and no network: it picks the sentences that carry most and sorts them under the
 * headings of R1 appendix B. Same messages, same text.
 */
export function createExtractiveSummarizer(counter: TokenCounter): Summarizer {
  return {
    name: "extractive",
    async summarize(request, signal) {
      signal?.throwIfAborted();
      const { messages, previous, maxTokens, instructions } = request;
      const text = summarizeByExtraction(messages, { counter, maxTokens, previous, instructions });
      return { text, finish: "complete", model: "extractive" };
    },
  };
}
