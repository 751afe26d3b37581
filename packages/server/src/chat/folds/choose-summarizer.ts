import type { Summarizer, TokenCounter } from "@midfold/core";
import { defaultSummaryModel } from "@midfold/core/chat";
import { createExtractiveSummarizer } from "@midfold/core/summaries";
import type { Chat } from "../chat.ts";
import type { ResolvedModel } from "../settings/resolve-chat-model.ts";
import { providerOf } from "../settings/setting-scope.ts";

/** Which summarizer is used, and why. */
export interface SummarizerChoice {
  readonly summarizer: Summarizer;
  /** Null for the built-in extractive summarizer. */
  readonly model: string | null;
  readonly why: string;
}

/** The requested model, else the setting, else the provider's default; without a key the built-in summarizer. */
export function chooseSummarizer(chat: Chat, model: ResolvedModel, asked?: string): SummarizerChoice {
  const wanted = asked ?? model.settings.summaryModel ?? defaultSummaryModel(providerOf(chat, model.name));
  if (model.upstream?.demo !== true || asked !== undefined || model.settings.summaryModel !== null) {
    const name = wanted ?? model.name;
    const summarizer = chat.models.summarizer(name, model.name);
    if (summarizer !== undefined) {
      const why =
        asked !== undefined
          ? "chosen for this fold"
          : model.settings.summaryModel !== null
            ? "set in the settings"
            : "default of the provider";
      return { summarizer, model: name, why };
    }
    return builtInSummarizer(model.counter, `no key for ${name}, so the built-in summarizer writes it`);
  }
  return builtInSummarizer(model.counter, "the demo model has no summarizer of its own");
}

/** Needs no key and no network. */
export function builtInSummarizer(counter: TokenCounter, why: string): SummarizerChoice {
  return { summarizer: createExtractiveSummarizer(counter), model: null, why };
}
