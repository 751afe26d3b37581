import { MidfoldError } from "@midfold/core";
import { previousOf } from "@midfold/core/summaries";
import { type Fence, foldLease, type OwnerStore, type SummaryDraft, type SummaryRecord } from "@midfold/store";
import type { ChatFoldResult } from "../../api/folds.ts";
import type { Chat } from "../chat.ts";
import { type LoadedContext, loadContext, weighSource } from "../context/load-context.ts";
import { readMessages } from "../context/read-messages.ts";
import { isSendable, toMessage } from "../context/to-message.ts";
import { chooseSummarizer, type SummarizerChoice } from "./choose-summarizer.ts";
import type { HistoryFold } from "./fold-history.ts";
import { type FoldWish, promptOf, type SelectedHistory, selectHistory } from "./select-history.ts";
import { noteLength } from "./summary-lengths.ts";
import { firstCharacters, readExtra, type SummaryExtra } from "./to-api-summary.ts";
import { type WrittenFold, writeFold } from "./write-fold.ts";

/** What is being folded, as soon as it is known. */
export interface FoldStart {
  readonly messages: number;
  readonly tokens: number;
  /** Id of the last message that is folded. */
  readonly foldLine: string;
}

interface WritingOptions {
  /** Summarization model for this fold. */
  readonly summaryModel?: string | undefined;
  readonly signal: AbortSignal;
  readonly onStart?: (start: FoldStart) => Promise<void>;
  readonly onProgress?: (phase: "summarizing" | "checking" | "saving", share: number, text?: string) => void;
}

export interface FoldSessionOptions extends FoldWish, WritingOptions {
  /** The id under which this fold is announced and recorded; the summary it writes has it too. */
  readonly foldId: string;
  readonly type: "auto" | "manual";
  /** The conversation's model, if the turn uses another one than the session. */
  readonly model?: string | undefined;
  /** A smaller window than the model's, after the provider refused a request of that size. */
  readonly window?: number | undefined;
  /** Used instead of the summarizer the settings choose: the built-in one, when the model failed. */
  readonly choice?: SummarizerChoice;
  /** Called while holding the lease, before anything is read: false when there is nothing left to do. */
  readonly stillWanted?: () => Promise<boolean>;
}

export type RegenerateOptions = WritingOptions &
  Pick<FoldWish, "instructions" | "style" | "maxSummaryTokens"> & { readonly summaryId: string };

export type FoldOutcome =
  | {
      readonly status: "done";
      readonly summary: SummaryRecord;
      readonly result: ChatFoldResult;
      readonly limited: boolean;
    }
  | { readonly status: "skipped"; readonly reason: "nothing-to-fold" | "running-elsewhere" | "superseded" };

const leaseMs = 30_000;
const longestWaitMs = 120_000;

/** One fold of a session, at most one at a time in all processes; refused if the session changed meanwhile. */
export function foldSession(chat: Chat, sessionId: string, options: FoldSessionOptions): Promise<FoldOutcome> {
  return underLease(chat.store, sessionId, options.signal, async (fence, signal) => {
    if (options.stillWanted !== undefined && !(await options.stillWanted())) {
      return { status: "skipped", reason: "running-elsewhere" };
    }
    const startedAt = chat.now();
    const through = options.before === undefined ? {} : { through: options.before };
    const { model: name, window } = options;
    const loaded = await loadContext(chat, sessionId, { model: name, window, ...through });
    const selected = await selectHistory(chat, loaded, options);
    const { history, records, count, plan } = selected;
    const last = records[count - 1];
    if (last === undefined) return { status: "skipped", reason: "nothing-to-fold" };
    await options.onStart?.({ messages: count, tokens: plan.spans[0]?.tokens ?? 0, foldLine: last.id });
    const { model, source } = loaded;
    const choice = options.choice ?? chooseSummarizer(chat, model, options.summaryModel);
    const written = await write(chat, loaded, history, choice, { ...options, signal });
    await noteLength(chat.store, written, model.counter);
    const previous = source.summary;
    return publish(chat, loaded, {
      written,
      startedAt,
      through,
      warnings: warningsOf(selected, written, options),
      limit: history.limit,
      draft: {
        content: contentOf(chat, loaded, selected, written, options.type),
        extra: extraOf(written, {
          foldId: options.foldId,
          baseId: previous?.id ?? null,
          instructions: options.instructions ?? null,
          durationMs: chat.now() - startedAt,
        }),
        fence,
      },
    });
  });
}

/** Writes the active summary again from the same originals and the summary before it, as a new version of its fold. */
export function regenerateSummary(chat: Chat, sessionId: string, options: RegenerateOptions): Promise<FoldOutcome> {
  return underLease(chat.store, sessionId, options.signal, async (fence, signal) => {
    const startedAt = chat.now();
    const loaded = await loadContext(chat, sessionId);
    const { source, model } = loaded;
    const active = source.summary;
    if (active?.id !== options.summaryId) throw notActive();
    const { content, cutoffSeq } = active;
    const { foldId, baseId } = readExtra(active);
    const base = baseId === null ? undefined : await chat.store.snapshots.summary(sessionId, baseId);
    const folded = (await readMessages(chat.store, sessionId, base?.cutoffSeq ?? 0, cutoffSeq)).filter(isSendable);
    const foldLine = content.messageRange.lastMessageId;
    await options.onStart?.({ messages: folded.length, tokens: content.originalTokenCount, foldLine });
    const previous = base === undefined ? undefined : previousOf(base.fold);
    const history: HistoryFold = {
      messages: folded.map(toMessage),
      held: [],
      options: {
        budget: Number.MAX_SAFE_INTEGER,
        foldLine: folded.at(-1)?.id ?? foldLine,
        summary: promptOf(model.settings, options),
        ...(previous === undefined ? {} : { previous }),
      },
      limit: Number.MAX_SAFE_INTEGER,
      maxSummaryTokens: options.maxSummaryTokens,
    };
    const choice = chooseSummarizer(chat, model, options.summaryModel);
    const written = await write(chat, loaded, history, choice, { ...options, signal });
    const compressionTimestamp = new Date(chat.now()).toISOString();
    const words = { summaryText: written.text, summaryTokenCount: written.tokens };
    return publish(chat, loaded, {
      written,
      startedAt,
      through: {},
      warnings: unsaidIn(written),
      limit: Number.MAX_SAFE_INTEGER,
      draft: {
        content: { ...content, ...words, compressionTimestamp, compressionType: "manual" },
        extra: extraOf(written, {
          foldId,
          baseId,
          instructions: options.instructions ?? null,
          durationMs: chat.now() - startedAt,
        }),
        fence,
      },
    });
  });
}

export function notActive(): MidfoldError {
  return new MidfoldError("VERSION_CONFLICT", "This summary is no longer the active one. Reload and try again.");
}

async function underLease(
  store: OwnerStore,
  sessionId: string,
  signal: AbortSignal,
  work: (fence: Fence, signal: AbortSignal) => Promise<FoldOutcome>,
): Promise<FoldOutcome> {
  const lease = { ttlMs: leaseMs, waitMs: longestWaitMs, signal };
  const outcome = await store.leases.runExclusive(foldLease(sessionId), lease, (fence, lost) =>
    work(fence, AbortSignal.any([signal, lost])),
  );
  if (outcome.ran) return outcome.result;
  signal.throwIfAborted();
  return { status: "skipped", reason: "running-elsewhere" };
}

async function write(
  chat: Chat,
  { model }: LoadedContext,
  history: HistoryFold,
  choice: SummarizerChoice,
  { signal, onProgress }: WritingOptions,
): Promise<WrittenFold> {
  const written = await writeFold(chat, history, {
    model,
    choice,
    signal,
    onProgress({ stage, share, text }) {
      if (stage === "writing") onProgress?.("summarizing", share, text);
      else if (stage === "checking" && share === 0) onProgress?.("checking", 1);
    },
  });
  signal.throwIfAborted();
  onProgress?.("saving", 1);
  return written;
}

interface Publication {
  readonly written: WrittenFold;
  readonly draft: Pick<SummaryDraft, "content" | "extra" | "fence">;
  readonly startedAt: number;
  readonly through: { readonly through?: number };
  readonly warnings: ChatFoldResult["warnings"];
  /** Size of a request above which the user is told that little room is left. */
  readonly limit: number;
}

/**
 * Puts a summary in force and returns the result; both sizes are over the same messages, so that their difference is
 * what the fold saved.
 */
async function publish(
  chat: Chat,
  loaded: LoadedContext,
  { written, draft, startedAt, through, warnings, limit }: Publication,
): Promise<FoldOutcome> {
  const { source } = loaded;
  const outcome = await chat.store.snapshots.publishSummary(source.session.id, {
    ...draft,
    fold: written.fold,
    epoch: source.session.epoch,
    previousId: source.summary?.id,
  });
  if (!outcome.published) {
    chat.log.info(
      { sessionId: source.session.id, reason: outcome.reason },
      "a finished summary was discarded: the session had changed",
    );
    return { status: "skipped", reason: "superseded" };
  }
  const summary = outcome.snapshot;
  const messages = source.messages.filter(({ seq }) => seq > summary.cutoffSeq);
  const after = await weighSource(chat, { ...source, summary, messages }, loaded.model, through);
  const tokensBefore = loaded.weights.total;
  const tokensAfter = after.weights.total;
  const reduction = tokensBefore - tokensAfter;
  const limited = tokensAfter > limit;
  const critical = {
    code: "context-critically-limited",
    message: "Even the shortest form nearly fills the window.",
  };
  return {
    status: "done",
    summary,
    limited,
    result: {
      summaryId: summary.id,
      preview: firstCharacters(summary.content.summaryText),
      messagesSummarized: written.folded.length,
      tokensBefore,
      tokensAfter,
      reductionTokens: reduction,
      reductionPercent: tokensBefore === 0 ? 0 : Math.round((1000 * reduction) / tokensBefore) / 10,
      durationMs: Math.max(0, chat.now() - startedAt),
      costUsd: written.costUsd,
      fellBack: false,
      warnings: limited ? [...warnings, critical] : warnings,
    },
  };
}

/** The stored format. A summary of a summary covers everything since the first message, so its figures add up. */
function contentOf(
  chat: Chat,
  { source }: LoadedContext,
  { records, weights }: SelectedHistory,
  { text, tokens, folded }: WrittenFold,
  type: "auto" | "manual",
): SummaryRecord["content"] {
  const before = source.summary?.content;
  const first = before?.messageRange.firstMessageId ?? records[0]?.id;
  const last = folded.at(-1)?.id;
  if (first === undefined || last === undefined) throw new MidfoldError("INTERNAL", "A summary must cover a message.");
  return {
    summaryText: text,
    messageRange: { firstMessageId: first, lastMessageId: last },
    compressionTimestamp: new Date(chat.now()).toISOString(),
    compressionType: type,
    originalTokenCount: sum(weights.slice(0, folded.length)) + (before?.originalTokenCount ?? 0),
    summaryTokenCount: tokens,
    messagesIncluded: folded.length + (before?.messagesIncluded ?? 0),
  };
}

function extraOf(
  { model, usage, costUsd, loss, sources, invented }: WrittenFold,
  facts: Pick<SummaryExtra, "foldId" | "baseId" | "instructions" | "durationMs">,
): SummaryExtra {
  const origin = model === null ? "extractive" : "model";
  return { ...facts, origin, model, costUsd, modelUsage: usage, loss, sources, invented };
}

/** What the user should know: fewer messages kept than asked for, and what the summary does not contain. */
function warningsOf(
  { records, weights, history, count }: SelectedHistory,
  written: WrittenFold,
  { retentionTokens, throughMessageId, maxSummaryTokens }: FoldSessionOptions,
): ChatFoldResult["warnings"] {
  const { plan, loss } = written;
  const warnings: ChatFoldResult["warnings"] = unsaidIn(written);
  const kept = sum(weights.slice(count));
  const wanted = records.findIndex(({ id }) => id === history.options.foldLine) + 1;
  // With more room, one more message would have been kept.
  const reduced = throughMessageId === undefined ? kept + (weights[count - 1] ?? 0) <= retentionTokens : count > wanted;
  const [span] = plan.spans;
  if (reduced) {
    const message = "Fewer recent messages were kept than set, to make it fit.";
    warnings.push({ code: "retention-reduced", message });
  }
  if (span !== undefined && span.maxTokens < Math.min(maxSummaryTokens, Math.floor(span.tokens / 3))) {
    const message = "The summary was held shorter than set, to make it fit.";
    warnings.push({ code: "summary-shortened", message });
  }
  if (loss.lost.length > 0) {
    warnings.push({ code: "facts-lost", message: `${loss.lost.length} details are not in the summary.` });
  }
  return warnings;
}

/** First, since it is the only one that says that something is wrong. */
function unsaidIn({ unsaid }: WrittenFold): ChatFoldResult["warnings"] {
  return unsaid === undefined ? [] : [{ code: unsaid.code, message: unsaid.message }];
}

function sum(weights: readonly number[]): number {
  return weights.reduce((total, weight) => total + weight, 0);
}
