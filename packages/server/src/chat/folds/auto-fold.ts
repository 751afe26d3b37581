import { randomUUID } from "node:crypto";
import { afterChatFailure, breakerState, type ChatBreaker } from "@midfold/core/chat";
import type { ChatFoldEvent } from "../../api/events.ts";
import type { SkipReason } from "../../api/folds.ts";
import type { Chat } from "../chat.ts";
import { confirmCount } from "../context/confirm-count.ts";
import { historyBudget } from "../context/history-budget.ts";
import { type LoadedContext, loadContext } from "../context/load-context.ts";
import { publishEvent } from "../events/publish-event.ts";
import { toProblem } from "../http/write-problem.ts";
import { builtInSummarizer, type SummarizerChoice } from "./choose-summarizer.ts";
import { isDueWhileCold } from "./due-while-cold.ts";
import { foldSession } from "./fold-session.ts";
import { readBreaker, saveBreaker, saveFold } from "./fold-state.ts";
import { announceDone, isCancel, newFold, trackFold } from "./track-fold.ts";

export interface AutoOptions {
  readonly sessionId: string;
  /** Sequence of the new message, which is never folded. */
  readonly inputSeq: number;
  readonly model: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: ChatFoldEvent) => void;
  /** The provider refused the request as too long: fold to this window, whatever the threshold is. */
  readonly window?: number | undefined;
}

/**
 * Counts the next request and folds first if it has to. Whatever goes wrong, the turn continues: with the full history
 * where that may still fit, with a built-in summary where it certainly does not.
 */
export async function autoFold(chat: Chat, options: AutoOptions): Promise<LoadedContext> {
  const { model, window, inputSeq: through } = options;
  const load = () => loadContext(chat, options.sessionId, { model, window, through });
  const loaded = await confirmCount(chat, await load(), options.signal);
  const verdict = options.window !== undefined ? undefined : await reasonNot(chat, loaded, options);
  if (verdict !== undefined) {
    const builtIn = verdict.tell && isCertainOverflow(loaded);
    if (verdict.tell) await tellSkipped(chat, options, verdict.reason, whatIsSent(loaded, builtIn));
    return builtIn ? fallBack(chat, options, load) : loaded;
  }
  const foldId = randomUUID();
  try {
    await foldAndTell(chat, loaded, options, { foldId });
    return await load();
  } catch (error) {
    if (isCancel(error) && options.signal.aborted) throw error;
    const builtIn = isCertainOverflow(loaded) || options.window !== undefined;
    if (!isCancel(error))
      await recordFailure(chat, loaded, options, { foldId, error, sent: whatIsSent(loaded, builtIn) });
    return builtIn ? fallBack(chat, options, load) : load();
  }
}

/** Why nothing is folded. With `tell` the threshold is reached, so the user is told. */
async function reasonNot(
  chat: Chat,
  loaded: LoadedContext,
  { sessionId }: AutoOptions,
): Promise<{ readonly reason: SkipReason; readonly tell: boolean } | undefined> {
  const { settings } = loaded.model;
  const { tokens, chat: budget } = historyBudget(loaded);
  const over = tokens > budget.budget;
  if (!over && !isDueWhileCold(chat, loaded)) return { reason: "below-threshold", tell: false };
  if (!settings.autoCompression) return { reason: "disabled", tell: false };
  if (tokens < settings.minTokens) return { reason: "below-minimum", tell: false };
  const state = breakerState(await readBreaker(chat.store, sessionId), chat.now());
  if (state === "closed") return undefined;
  // What fits may wait without a word.
  return { reason: state === "open" ? "breaker-open" : "backoff", tell: over };
}

async function foldAndTell(
  chat: Chat,
  loaded: LoadedContext,
  options: AutoOptions,
  extra: { readonly foldId: string; readonly choice?: SummarizerChoice },
): Promise<void> {
  const { sessionId, inputSeq, model, window, signal, onEvent } = options;
  const { settings } = loaded.model;
  const { outcome, fold } = await trackFold(
    chat,
    newFold(chat, extra.foldId, sessionId, "auto"),
    { signal, onEvent, quiet: true },
    (report) =>
      foldSession(chat, sessionId, {
        type: "auto",
        retentionTokens: settings.retentionTokens,
        maxSummaryTokens: settings.maxSummaryTokens,
        before: inputSeq,
        model,
        window,
        ...report,
        ...extra,
        // Checked again after waiting for the lease, whose last holder may have done the work.
        async stillWanted() {
          if (options.window !== undefined) return true;
          const now = await loadContext(chat, sessionId, { model, through: inputSeq });
          const { tokens, chat: budget } = historyBudget(now);
          if (tokens < settings.minTokens) return false;
          return tokens > budget.budget || isDueWhileCold(chat, now);
        },
      }),
  );
  if (outcome.status !== "done") return;
  const done = extra.choice === undefined ? outcome : { ...outcome, result: { ...outcome.result, fellBack: true } };
  await announceDone(chat, fold, done, { notify: settings.notifications, onEvent });
  if (!outcome.limited) return;
  const event = {
    type: "context.limited",
    sessionId,
    message: "Even summarized, the conversation nearly fills the window. Start a new session or use a larger model.",
    tokens: outcome.result.tokensAfter,
    usable: historyBudget(loaded).usable,
  } as const;
  onEvent(event);
  await publishEvent(chat, event);
}

type Sent = Exclude<Extract<ChatFoldEvent, { type: "fold.failed" }>["sentInstead"], "nothing">;

/** What the model is sent if no new summary was written. */
function whatIsSent({ source }: LoadedContext, builtIn: boolean): Sent {
  if (builtIn) return "built-in-summary";
  return source.summary === undefined ? "full-history" : "earlier-summary";
}

const sentWords: Readonly<Record<Sent, string>> = {
  "full-history": "The full history is sent.",
  "earlier-summary": "The earlier summary and everything after it are sent.",
  "built-in-summary": "A summary of the built-in summarizer is sent.",
};

/** Whether this would certainly be refused: not even one token of reply fits beside it. */
function isCertainOverflow({ model, weights }: LoadedContext): boolean {
  return weights.total >= model.info.window;
}

async function fallBack(chat: Chat, options: AutoOptions, load: () => Promise<LoadedContext>): Promise<LoadedContext> {
  const why = "the summarization model failed and the full history cannot be sent";
  const loaded = await load();
  const foldId = randomUUID();
  try {
    await foldAndTell(chat, loaded, options, { foldId, choice: builtInSummarizer(loaded.model.counter, why) });
  } catch (error) {
    if (options.signal.aborted) throw error;
    const { sessionId } = options;
    const sent = whatIsSent(loaded, false);
    chat.log.error({ err: error, sessionId, sent }, "the built-in summarizer failed too; sending what there is");
    await tellFailed(chat, options, { foldId, error, sent }, await readBreaker(chat.store, sessionId));
  }
  return load();
}

interface Failure {
  readonly foldId: string;
  readonly error: unknown;
  readonly sent: Sent;
}

async function recordFailure(
  chat: Chat,
  { model, weights, source }: LoadedContext,
  options: AutoOptions,
  failure: Failure,
): Promise<void> {
  const { sessionId } = options;
  const { error, sent } = failure;
  const breaker = afterChatFailure(await readBreaker(chat.store, sessionId), chat.now());
  await saveBreaker(chat.store, sessionId, breaker);
  const facts = {
    sessionId,
    model: model.name,
    summaryModel: model.settings.summaryModel,
    tokens: weights.total,
    messages: source.messages.length,
    summaryId: source.summary?.id,
    failures: breaker.failures,
    retryAt: new Date(breaker.retryAt).toISOString(),
  };
  chat.log.error({ err: error, sent, ...facts }, "automatic fold failed");
  await tellFailed(chat, options, failure, breaker);
}

async function tellFailed(
  chat: Chat,
  { sessionId, onEvent }: AutoOptions,
  { foldId, error, sent: sentInstead }: Failure,
  breaker: ChatBreaker,
): Promise<void> {
  const event = {
    type: "fold.failed",
    sessionId,
    foldId,
    trigger: "auto",
    problem: toProblem(error),
    sentInstead,
    retryAt: new Date(breaker.retryAt).toISOString(),
    breakerOpen: breakerState(breaker, chat.now()) === "open",
  } as const;
  onEvent(event);
  await publishEvent(chat, event);
}

async function tellSkipped(chat: Chat, options: AutoOptions, reason: SkipReason, sent: Sent): Promise<void> {
  const fold = newFold(chat, randomUUID(), options.sessionId, "auto");
  // The event names it, so it can be opened.
  await saveFold(chat.store, {
    ...fold,
    status: "skipped",
    skipReason: reason,
    progress: null,
    finishedAt: fold.startedAt,
  });
  const event = {
    type: "fold.skipped",
    sessionId: options.sessionId,
    foldId: fold.id,
    trigger: "auto",
    reason,
    message: `The last summary failed a short while ago; it will be tried again later. ${sentWords[sent]}`,
  } as const;
  options.onEvent(event);
  await publishEvent(chat, event);
}
