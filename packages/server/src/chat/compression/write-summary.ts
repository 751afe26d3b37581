import { resolveModel } from "@midfold/core";
import type { SentenceRange, SourceLink } from "@midfold/core/chat";
import type { LossReport } from "../../api/summary.ts";
import type { Chat } from "../chat.ts";
import type { ResolvedModel } from "../settings/resolve-chat-model.ts";
import type { SummarizerChoice } from "./choose-summarizer.ts";
import { countingRule, isShort } from "./summary-thread.ts";
import { type Prose, type ProseJob, writeProse } from "./write-prose.ts";

export interface SummaryOptions {
  readonly model: ResolvedModel;
  readonly choice: SummarizerChoice;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number, text: string) => void;
}

export interface WrittenSummary {
  readonly text: string;
  readonly tokens: number;
  readonly model: string | null;
  readonly usage: Prose["usage"];
  readonly costUsd: number | null;
  readonly loss: LossReport;
  readonly links: readonly SourceLink[];
  readonly invented: readonly SentenceRange[];
}

/** A summary, checked: by a model from here, by the built-in summarizer in a thread of its own. */
export async function writeSummary(chat: Chat, job: ProseJob, options: SummaryOptions): Promise<WrittenSummary> {
  const { model, choice, signal, onProgress } = options;
  const { counter } = model;
  const counting = countingRule(counter, model.countAs);
  const elsewhere = choice.model === null && !isShort(job.messages);
  const { text, repaired, usage } = elsewhere
    ? await chat.thread.write(job, counting, { signal, onProgress })
    : await writeProse(job, { choice, counter, onProgress, signal, sleep: chat.sleep, now: chat.now });
  const { loss, links, invented } = await chat.thread.inspect(text, job.messages, repaired, counting, counter);
  signal.throwIfAborted();
  const costUsd = costOf(choice, usage);
  return { text, tokens: counter.count(text), model: choice.model, usage, costUsd, loss, links, invented };
}

function costOf(choice: SummarizerChoice, usage: Prose["usage"]): number | null {
  if (choice.model === null) return 0;
  if (usage === null) return null;
  return priceOf(choice.model, usage.inputTokens, usage.outputTokens);
}

/** US dollars; null when a price is not known. */
export function priceOf(model: string, inputTokens: number, outputTokens: number): number | null {
  const { prices } = resolveModel(model);
  if (prices.input === undefined || prices.output === undefined) return null;
  return (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
}
