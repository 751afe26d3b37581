import { MidfoldError, type Plan, type SummaryPromptOptions } from "@midfold/core";
import { previousOf } from "@midfold/core/summaries";
import type { MessageRecord, OwnerStore } from "@midfold/store";
import type { ChatFoldRequest } from "../../api/folds.ts";
import type { Chat } from "../chat.ts";
import { historyBudget } from "../context/history-budget.ts";
import type { LoadedContext } from "../context/load-context.ts";
import { toMessage } from "../context/to-message.ts";
import { tokensOf } from "../context/weigh-context.ts";
import type { ChatSettings } from "../settings/chat-settings.ts";
import { settleAbandoned } from "../turn/settle-abandoned.ts";
import { type HistoryFold, planHistory } from "./fold-history.ts";

export interface FoldWish {
  readonly retentionTokens: number;
  readonly maxSummaryTokens: number;
  /** The fold line: id of the last message to fold. */
  readonly throughMessageId?: string | undefined;
  /** Only messages before this sequence may be folded, so that the new message stays. */
  readonly before?: number | undefined;
  readonly instructions?: string | undefined;
  readonly style?: ChatFoldRequest["style"];
  /** Change nothing, not even replies whose writer died. */
  readonly dryRun?: boolean;
}

export interface SelectedHistory {
  readonly history: HistoryFold;
  /** What may be folded, oldest first, with its tokens. */
  readonly records: readonly MessageRecord[];
  readonly weights: readonly number[];
  readonly plan: Plan;
  /** How many of the records the plan folds. */
  readonly count: number;
}

/** Which messages of a session may be folded now, and what a fold would do. Used by the preview and the fold itself. */
export async function selectHistory(chat: Chat, loaded: LoadedContext, wish: FoldWish): Promise<SelectedHistory> {
  const { model, source, context, weights } = loaded;
  const barrier = Math.min(
    wish.before ?? Number.POSITIVE_INFINITY,
    await firstReplyInProgress(chat, loaded, wish.dryRun === true),
  );
  const stored = context.entries.flatMap(({ record }, at) =>
    record === undefined ? [] : [{ record, tokens: weights.entries[at] ?? 0 }],
  );
  const free = stored.filter(({ record }) => record.seq < barrier);
  const records = free.map(({ record }) => record);
  const system = context.entries.flatMap(({ kind, message }) => (kind === "system" ? [message] : []));
  const previous = source.summary === undefined ? undefined : previousOf(source.summary.fold);
  const history: HistoryFold = {
    messages: stored.map(({ record }) => toMessage(record)),
    held: stored.flatMap(({ record }) => (record.seq < barrier ? [] : [record.id])),
    options: {
      // The smallest form is sent even where it is too large: the user is told, and the provider decides.
      budget: Number.MAX_SAFE_INTEGER,
      window: model.info.window,
      system,
      tools: context.tools,
      ...(previous === undefined ? {} : { previous }),
      ...(await whatStays(chat.store, source.session.id, records, wish)),
      summary: promptOf(model.settings, wish),
    },
    // Excerpts are not messages of the session: those of kept questions are sent in any case.
    limit: historyBudget(loaded).requestLimit - tokensOf(context, weights, "recalled"),
    maxSummaryTokens: wish.maxSummaryTokens,
  };
  const plan = planHistory(history, model.counter);
  const gone = plan.atoms.filter((_, at) => plan.decisions[at]?.do !== "keep");
  const messages = gone.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const count = Math.max(0, messages - (previous === undefined ? 0 : 1));
  return { history, records, weights: free.map(({ tokens }) => tokens), plan, count };
}

/** An automatic fold keeps the newest tokens and always the new message; by hand everything may be folded. */
async function whatStays(
  store: OwnerStore,
  sessionId: string,
  records: readonly MessageRecord[],
  { throughMessageId, before, retentionTokens: retainTokens }: FoldWish,
): Promise<HistoryFold["options"]> {
  const newest = records.at(-1);
  if (newest === undefined || (throughMessageId === undefined && before !== undefined)) return { retainTokens };
  if (throughMessageId === undefined) return { retainTokens, foldLine: newest.id };
  const { seq } = await store.messages.get(sessionId, throughMessageId);
  const line = records.findLast((record) => record.seq <= seq);
  if (line !== undefined) return { foldLine: line.id };
  throw new MidfoldError("VALIDATION_ERROR", "That message is already part of the summary. Choose a later fold line.");
}

/** What the settings and the person specify about the text of a summary. */
export function promptOf(
  { summaryTemplate, summaryPrompt, summaryStyle }: ChatSettings,
  { style: asked, instructions }: Pick<FoldWish, "style" | "instructions">,
): Omit<SummaryPromptOptions, "counter" | "maxTokens" | "previous"> {
  const style = asked ?? summaryStyle;
  const own = summaryTemplate === "custom";
  return {
    ...(own ? (summaryPrompt === null ? {} : { prompt: summaryPrompt }) : { template: summaryTemplate }),
    ...(style === "balanced" ? {} : { style }),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** Sequence of the oldest reply still being written; replies whose writer died are ended on the way. */
async function firstReplyInProgress(chat: Chat, { source }: LoadedContext, dryRun: boolean): Promise<number> {
  const after = source.summary?.cutoffSeq ?? 0;
  const seen = new Set(source.messages.map(({ seq }) => seq));
  const { lastSeq, id } = source.session;
  // If no sequence number is missing from what was read, nothing can be in progress.
  if (lastSeq - after === seen.size) return Number.POSITIVE_INFINITY;
  for (let from = after; ; ) {
    const page = await chat.store.messages.list(id, { after: from, limit: 1000 });
    for (const record of page) {
      if (record.status !== "streaming") continue;
      if (dryRun || !(await settleAbandoned(chat, record))) return record.seq;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < 1000) return Number.POSITIVE_INFINITY;
    from = last.seq;
  }
}
