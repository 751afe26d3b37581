import { randomUUID } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import type { ChatFoldPlan } from "@midfold/core/chat";
import { compressionLease, type Fence, type OwnerStore, type SummaryRecord } from "@midfold/store";
import type { CompressionResult } from "../../api/compression.ts";
import type { Chat } from "../chat.ts";
import { historyBudget } from "../context/history-budget.ts";
import { type LoadedContext, loadContext, weighSource } from "../context/load-context.ts";
import { toMessage } from "../context/to-message.ts";
import type { ChatSettings } from "../settings/chat-settings.ts";
import { chooseSummarizer, type SummarizerChoice } from "./choose-summarizer.ts";
import { type CompressionWish, type PlannedCompression, planCompression } from "./plan-compression.ts";
import { extraOf } from "./summary-extra.ts";
import { firstCharacters } from "./to-api-summary.ts";
import type { ProseJob } from "./write-prose.ts";
import { type WrittenSummary, writeSummary } from "./write-summary.ts";

export interface CompressOptions extends CompressionWish {
  readonly type: "auto" | "manual";
  readonly instructions?: string | undefined;
  /** Summarisation model for this time. */
  readonly summaryModel?: string | undefined;
  readonly style?: "concise" | "balanced" | "detailed" | undefined;
  /** The conversation's model, when the turn uses another than the session. */
  readonly model?: string | undefined;
  /** A smaller window than the model's, after the provider refused what that leaves. */
  readonly window?: number | undefined;
  /** Instead of the one the settings choose: the built-in one, when the model failed. */
  readonly choice?: SummarizerChoice;
  readonly signal: AbortSignal;
  readonly onStart?: (planned: PlannedCompression) => Promise<void>;
  readonly onProgress?: (phase: "summarizing" | "checking" | "saving", share: number, text?: string) => void;
  /** Called under the lease, before anything is read: false when there is nothing to do any more. */
  readonly stillWanted?: () => Promise<boolean>;
}

export type CompressOutcome =
  | {
      readonly status: "done";
      readonly summary: SummaryRecord;
      readonly result: CompressionResult;
      readonly limited: boolean;
    }
  | { readonly status: "skipped"; readonly reason: "nothing-to-fold" | "running-elsewhere" | "superseded" };

const leaseMs = 30_000;
const longestWaitMs = 120_000;

/**
 * One compression of one session, at most one at a time in all processes. Reads, plans and summarises without holding
 * anything but the lease; the summary takes effect in one transaction that refuses it if the session moved meanwhile.
 */
export async function compressSession(
  chat: Chat,
  store: OwnerStore,
  sessionId: string,
  options: CompressOptions,
): Promise<CompressOutcome> {
  const name = compressionLease(sessionId);
  const lease = { ttlMs: leaseMs, waitMs: longestWaitMs, signal: options.signal };
  const outcome = await store.leases.runExclusive(name, lease, async (fence, lost) => {
    if (options.stillWanted !== undefined && !(await options.stillWanted())) {
      return { status: "skipped", reason: "running-elsewhere" } as const;
    }
    return compressUnderLease(chat, store, sessionId, fence, {
      ...options,
      signal: AbortSignal.any([options.signal, lost]),
    });
  });
  if (outcome.ran) return outcome.result;
  options.signal.throwIfAborted();
  return { status: "skipped", reason: "running-elsewhere" };
}

async function compressUnderLease(
  chat: Chat,
  store: OwnerStore,
  sessionId: string,
  fence: Fence,
  options: CompressOptions,
): Promise<CompressOutcome> {
  const startedAt = chat.now();
  const through = options.before === undefined ? {} : { through: options.before };
  const loaded = await loadContext(chat, store, sessionId, {
    model: options.model,
    window: options.window,
    ...through,
  });
  const planned = await planCompression(chat, store, loaded, options);
  const folded = planned.records.slice(0, planned.plan.cut.messages);
  if (folded.length === 0) return { status: "skipped", reason: "nothing-to-fold" };
  await options.onStart?.(planned);
  const written = await write(chat, loaded, planned, options);
  options.signal.throwIfAborted();
  options.onProgress?.("saving", 1);
  const previous = loaded.source.summary;
  const outcome = await store.snapshots.publishSummary(sessionId, {
    content: contentOf(chat, loaded, planned, written, options.type),
    extra: extraOf(written, folded, {
      foldId: randomUUID(),
      baseId: previous?.id ?? null,
      instructions: options.instructions,
      durationMs: chat.now() - startedAt,
    }),
    epoch: loaded.source.session.epoch,
    previousId: previous?.id,
    fence,
  });
  if (!outcome.published) {
    chat.log.info(
      { sessionId, reason: outcome.reason },
      "a finished summary was thrown away: the session had moved on",
    );
    return { status: "skipped", reason: "superseded" };
  }
  return finish(chat, loaded, planned, written, outcome.snapshot, { startedAt, through });
}

async function write(
  chat: Chat,
  loaded: LoadedContext,
  planned: PlannedCompression,
  options: CompressOptions,
): Promise<WrittenSummary> {
  const { model, source } = loaded;
  const { cut, summaryTokens } = planned.plan;
  const written = await writeSummary(
    chat,
    {
      messages: planned.records.slice(0, cut.messages).map(toMessage),
      weights: planned.weights,
      covers: cut.messages + (source.summary?.content.messagesIncluded ?? 0),
      previous: source.summary?.content.summaryText,
      maxTokens: summaryTokens,
      settings: summarySettings(model.settings, options.style),
      instructions: options.instructions,
    },
    {
      model,
      choice: options.choice ?? chooseSummarizer(chat, model, options.summaryModel),
      signal: options.signal,
      onProgress: (share, text) => options.onProgress?.("summarizing", share, text),
    },
  );
  options.onProgress?.("checking", 1);
  return written;
}

/** Only what a summary needs of the settings: the rest has no business in a thread. */
export function summarySettings(settings: ChatSettings, style: CompressOptions["style"]): ProseJob["settings"] {
  const { summaryTemplate, summaryPrompt, summaryStyle } = settings;
  return { summaryTemplate, summaryPrompt, summaryStyle: style ?? summaryStyle };
}

/** R1 FR-4.2.1. A cascade stands for everything since the first message, so its figures add up. */
function contentOf(
  chat: Chat,
  { source }: LoadedContext,
  { plan, records, last }: PlannedCompression,
  written: WrittenSummary,
  type: "auto" | "manual",
): SummaryRecord["content"] {
  const before = source.summary?.content;
  const first = before?.messageRange.firstMessageId ?? records[0]?.id;
  if (first === undefined || last === undefined) throw new MidfoldError("INTERNAL", "A summary must cover a message.");
  return {
    summaryText: written.text,
    messageRange: { firstMessageId: first, lastMessageId: last.id },
    compressionTimestamp: new Date(chat.now()).toISOString(),
    compressionType: type,
    originalTokenCount: plan.cut.foldedTokens + (before?.originalTokenCount ?? 0),
    summaryTokenCount: written.tokens,
    messagesIncluded: plan.cut.messages + (before?.messagesIncluded ?? 0),
  };
}

/** What the user is told: sizes before and after, over the same messages, so that the difference is the fold alone. */
async function finish(
  chat: Chat,
  loaded: LoadedContext,
  { plan }: PlannedCompression,
  written: WrittenSummary,
  summary: SummaryRecord,
  { startedAt, through }: { readonly startedAt: number; readonly through: { readonly through?: number } },
): Promise<CompressOutcome> {
  const messages = loaded.source.messages.filter(({ seq }) => seq > summary.cutoffSeq);
  const after = await weighSource(chat, { ...loaded.source, summary, messages }, loaded.model, through);
  const tokensBefore = loaded.weights.total;
  const tokensAfter = after.weights.total;
  const limited = plan.limited || tokensAfter > historyBudget(after).usable;
  const reduction = tokensBefore - tokensAfter;
  return {
    status: "done",
    summary,
    limited,
    result: {
      summaryId: summary.id,
      preview: firstCharacters(summary.content.summaryText),
      messagesSummarized: plan.cut.messages,
      tokensBefore,
      tokensAfter,
      reductionTokens: reduction,
      reductionPercent: tokensBefore === 0 ? 0 : Math.round((1000 * reduction) / tokensBefore) / 10,
      durationMs: Math.max(0, chat.now() - startedAt),
      costUsd: written.costUsd,
      fellBack: false,
      warnings: warningsOf(plan, written, limited),
    },
  };
}

function warningsOf(plan: ChatFoldPlan, written: WrittenSummary, limited: boolean): CompressionResult["warnings"] {
  const warnings: CompressionResult["warnings"] = [];
  const warn = (code: string, message: string) => warnings.push({ code, message });
  if (plan.reduced) warn("retention-reduced", "Fewer recent messages were kept than set, to make it fit.");
  if (plan.harder) warn("summary-shortened", "The summary was held shorter than set, to make it fit.");
  if (written.loss.lost.length > 0) warn("facts-lost", `${written.loss.lost.length} details are not in the summary.`);
  if (limited) warn("context-critically-limited", "Even the shortest form nearly fills the window.");
  return warnings;
}
