import { MidfoldError } from "@midfold/core";
import { type ChatFoldPlan, planChatFold } from "@midfold/core/chat";
import type { MessageRecord, OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { historyBudget } from "../context/history-budget.ts";
import type { LoadedContext } from "../context/load-context.ts";
import { toMessage } from "../context/to-message.ts";
import { tokensOf } from "../context/weigh-context.ts";
import { settleAbandoned } from "../turn/settle-abandoned.ts";

export interface CompressionWish {
  readonly retentionTokens: number;
  readonly maxSummaryTokens: number;
  /** The fold line: the last message to fold. */
  readonly throughMessageId?: string | undefined;
  /** Only messages before this sequence may be folded: the words being sent stay. */
  readonly before?: number | undefined;
  /** Leave everything as it is, even replies whose writer died. */
  readonly dryRun?: boolean;
}

export interface PlannedCompression {
  readonly plan: ChatFoldPlan;
  /** Foldable messages with their tokens; the plan's cut counts from the first of them. */
  readonly records: readonly MessageRecord[];
  readonly weights: readonly number[];
  /** Tokens of messages after the foldable ones: a reply in progress and what follows it. */
  readonly heldTokens: number;
  readonly previousTokens: number;
  /** The last message the summary would cover. */
  readonly last: MessageRecord | undefined;
}

/** What may be folded now, and where the cut goes. Reads only; the preview and the run use the same plan. */
export async function planCompression(
  chat: Chat,
  store: OwnerStore,
  loaded: LoadedContext,
  wish: CompressionWish,
): Promise<PlannedCompression> {
  const { source, context, weights } = loaded;
  const barrier = Math.min(
    wish.before ?? Number.POSITIVE_INFINITY,
    await firstReplyInProgress(chat, store, loaded, wish.dryRun === true),
  );
  const records: MessageRecord[] = [];
  const tokens: number[] = [];
  let heldTokens = 0;
  context.entries.forEach((entry, i) => {
    const weight = weights.entries[i] ?? 0;
    if (entry.record === undefined || (entry.kind === "draft" && wish.before !== undefined)) return;
    if (entry.record.seq < barrier) {
      records.push(entry.record);
      tokens.push(weight);
    } else heldTokens += weight;
  });
  const previousTokens = tokensOf(context, weights, "summary");
  const plan = planChatFold({
    messages: records.map(toMessage),
    weights: tokens,
    retentionTokens: wish.retentionTokens,
    previousTokens,
    maxSummaryTokens: wish.maxSummaryTokens,
    room: Math.max(0, historyBudget(loaded).room - heldTokens),
    ...(await foldLine(store, source.session.id, records, wish.throughMessageId)),
  });
  return { plan, records, weights: tokens, heldTokens, previousTokens, last: records[plan.cut.messages - 1] };
}

async function foldLine(
  store: OwnerStore,
  sessionId: string,
  records: readonly MessageRecord[],
  messageId: string | undefined,
): Promise<{ foldMessages?: number }> {
  if (messageId === undefined) return {};
  const { seq } = await store.messages.get(sessionId, messageId);
  const first = records[0];
  if (first === undefined || seq < first.seq) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      "That message is already part of the summary. Choose a later fold line.",
    );
  }
  return { foldMessages: records.filter((record) => record.seq <= seq).length };
}

/** Sequence of the oldest reply still being written; replies whose writer died are settled on the way. */
async function firstReplyInProgress(
  chat: Chat,
  store: OwnerStore,
  { source }: LoadedContext,
  dryRun: boolean,
): Promise<number> {
  const after = source.summary?.cutoffSeq ?? 0;
  const seen = new Set(source.messages.map(({ seq }) => seq));
  const { lastSeq, id } = source.session;
  // Without gaps between what was read and what exists nothing can be in progress: no need to look.
  if (lastSeq - after === seen.size) return Number.POSITIVE_INFINITY;
  for (let from = after; ; ) {
    const page = await store.messages.list(id, { after: from, limit: 1000 });
    for (const record of page) {
      if (record.status !== "streaming") continue;
      if (dryRun || !(await settleAbandoned(chat, store, record))) return record.seq;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < 1000) return Number.POSITIVE_INFINITY;
    from = last.seq;
  }
}
