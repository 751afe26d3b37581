import { type FoldProgress, type Message, resolveModel, type Summarizer, type SummaryResult } from "@midfold/core";
import type { LossReport, SummaryDetail } from "../../api/summary.ts";
import { countingRule } from "../../threads/tasks.ts";
import { createThreadPool } from "../../threads/thread-pool.ts";
import type { Chat } from "../chat.ts";
import type { ResolvedModel } from "../settings/resolve-chat-model.ts";
import type { SummarizerChoice } from "./choose-summarizer.ts";
import { type FoldedHistory, foldedMessages, foldHistory, type HistoryFold } from "./fold-history.ts";
import type { HistoryTasks } from "./fold-worker.ts";

export interface WriteOptions {
  readonly model: ResolvedModel;
  readonly choice: SummarizerChoice;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: FoldProgress) => void;
}

export interface WrittenFold extends Pick<FoldedHistory, "fold" | "plan"> {
  /** Prose and exact lines, as in the frame. */
  readonly text: string;
  /** Tokens of the text alone. */
  readonly tokens: number;
  readonly folded: readonly Message[];
  /** Null: the built-in summarizer. */
  readonly model: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly costUsd: number | null;
  readonly loss: LossReport;
  readonly sources: SummaryDetail["sources"];
  readonly invented: SummaryDetail["invented"];
  /** The values among them, with the words for it. */
  readonly unsaid: FoldedHistory["unsaid"];
}

const thread = createThreadPool<HistoryTasks>(
  new URL(import.meta.url.endsWith(".ts") ? "./fold-worker.ts" : "./fold-worker.js", import.meta.url),
  { maxWaiting: 1_000 },
);

/** Shorter histories are folded in less time than sending them to a thread takes. */
const shortChars = 60_000;

/** Folds a history: with a model from here; with the built-in summarizer in a thread where it is long. */
export async function writeFold(chat: Chat, history: HistoryFold, options: WriteOptions): Promise<WrittenFold> {
  const { model, choice, signal, onProgress } = options;
  const { counter, countAs } = model;
  const whole = withReadable(history, choice);
  const { summarizer, usage } = metered(choice.summarizer);
  const tell = onProgress === undefined ? {} : { onProgress };
  const clock = { now: chat.now, sleep: chat.sleep };
  const written =
    choice.model === null && sizeOf(history.messages) >= shortChars
      ? await thread.run(
          "fold",
          { history: whole, counting: countingRule(counter, countAs) },
          { signal, calls: { progress: (progress: FoldProgress) => onProgress?.(progress) } },
        )
      : await foldHistory(whole, { counter, summarizer, signal, clock, ...tell });
  signal.throwIfAborted();
  const { fold, plan, loss, links, invented, unsaid } = written;
  const text = fold.texts.join("\n");
  const folded = foldedMessages(history, fold);
  const idOf = (index: number) => folded[index]?.id;
  // In the record, and so in the report, the previous summary counts as the first message.
  const ahead = history.options.previous === undefined ? 0 : 1;
  const used = usage();
  return {
    fold,
    plan,
    text,
    tokens: counter.count(text),
    folded,
    model: choice.model,
    usage: used,
    costUsd: choice.model === null ? 0 : used && priceOf(choice.model, used.inputTokens, used.outputTokens),
    loss: {
      checked: loss.kept + loss.repaired + loss.lost,
      kept: loss.kept,
      repaired: loss.repaired,
      lost: loss.lostFacts.map((fact) => ({
        kind: fact.kind,
        value: fact.text,
        messageId: idOf(fact.message - ahead) ?? null,
      })),
    },
    sources: links.map(({ start, end, messages }) => ({
      start,
      end,
      messageIds: messages.flatMap((index) => idOf(index) ?? []),
    })),
    invented: [...invented],
    unsaid,
  };
}

/** How much of its window a model may be given to read; the built-in summarizer has no window. */
const readableShare = 0.9;

function withReadable(history: HistoryFold, { model }: SummarizerChoice): HistoryFold {
  if (model === null) return history;
  const inputTokens = Math.min(100_000, Math.floor(resolveModel(model).window * readableShare));
  return { ...history, options: { ...history.options, summary: { ...history.options.summary, inputTokens } } };
}

/** The same summarizer, with a sum of what its calls used. */
function metered(summarizer: Summarizer): { summarizer: Summarizer; usage: () => WrittenFold["usage"] } {
  let total: WrittenFold["usage"] = null;
  const add = (usage: SummaryResult["usage"]) => {
    if (usage === undefined) return;
    total = {
      inputTokens: (total?.inputTokens ?? 0) + usage.inputTokens,
      outputTokens: (total?.outputTokens ?? 0) + usage.outputTokens,
    };
  };
  return {
    summarizer: {
      ...summarizer,
      summarize: async (request, signal) => {
        const result = await summarizer.summarize(request, signal);
        add(result.usage);
        return result;
      },
    },
    usage: () => total,
  };
}

function sizeOf(messages: readonly Message[]): number {
  let size = 0;
  for (const { parts } of messages) {
    for (const part of parts) size += part.type === "text" || part.type === "reasoning" ? part.text.length : 500;
  }
  return size;
}

/** US dollars; null when a price is not known. */
export function priceOf(model: string, inputTokens: number, outputTokens: number): number | null {
  const { prices } = resolveModel(model);
  if (prices.input === undefined || prices.output === undefined) return null;
  return (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
}
