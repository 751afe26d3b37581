import type { Message } from "../message/message.ts";

/** What a summarizer is asked: turn this stretch of conversation, and the summary before it, into one short text. */
export interface SummaryRequest {
  /** The whole prompt, ready to send to a model. */
  readonly prompt: string;
  /** The folded messages, for summarizers that do not go through a prompt. */
  readonly messages: readonly Message[];
  /** The summary that stood before these messages, which the new one must carry on. */
  readonly previous?: string;
  readonly maxTokens: number;
  /** The model that shall write it, where somebody asked for one. */
  readonly model?: string;
  /** What the user asked the summary to focus on. */
  readonly instructions?: string;
}

export interface SummaryResult {
  readonly text: string;
  /** `complete` is the only usable ending. */
  readonly finish: "complete" | "cut-off" | "tool-call" | "refused";
  readonly model?: string;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}

export interface Summarizer {
  readonly name: string;
  summarize(request: SummaryRequest, signal?: AbortSignal): Promise<SummaryResult>;
}

/** A summarizer as a plain function: the text alone means that it is complete. */
export type SummarizeFunction = (request: SummaryRequest, signal?: AbortSignal) => Promise<string | SummaryResult>;

/** Either spelling of a summarizer as the engine calls it. */
export function toSummarizer(given: Summarizer | SummarizeFunction): Summarizer {
  if (typeof given !== "function") return given;
  return {
    name: given.name === "" ? "summarizer" : given.name,
    summarize: async (request, signal) => {
      const result = await given(request, signal);
      return typeof result === "string" ? { text: result, finish: "complete" } : result;
    },
  };
}
