import { randomUUID } from "node:crypto";
import { isMidfoldError, MidfoldError, resolveModel } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { ChatFold, ChatFoldPreview, ChatFoldRequest } from "../../api/folds.ts";
import type { Chat } from "../chat.ts";
import { type LoadedContext, loadContext } from "../context/load-context.ts";
import { publishEvent } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import { foldKey } from "../turn/running-work.ts";
import { builtInSummarizer, chooseSummarizer } from "./choose-summarizer.ts";
import { enqueueFold } from "./fold-jobs.ts";
import { findFold, listFolds as readFolds, saveFold } from "./fold-state.ts";
import { type SelectedHistory, selectHistory } from "./select-history.ts";
import { expectLength, frameTokens, smallest } from "./summary-lengths.ts";
import { readExtra } from "./to-api-summary.ts";
import { newFold } from "./track-fold.ts";
import { priceOf, writeFold } from "./write-fold.ts";

export const previewFold: Handler<"previewFold"> = ({ chat, params, body }) => preview(chat, params.sessionId, body);

export const startFold: Handler<"startFold"> = async ({ chat, params, body }) => {
  const { sessionId } = params;
  const { loaded, selected } = await planByHand(chat, sessionId, body);
  if (selected.count === 0) {
    throw new MidfoldError("VALIDATION_ERROR", nothingToFold(loaded), { details: { reason: "nothing-to-fold" } });
  }
  return enqueueFold(chat, newFold(chat, randomUUID(), sessionId, "manual"), body);
};

export const listFolds: Handler<"listFolds"> = async ({ store, params }) => {
  await store.sessions.get(params.sessionId);
  return { folds: [...(await readFolds(store, params.sessionId))] };
};

export const getFold: Handler<"getFold"> = async ({ store, params }) => find(store, params);

export const cancelFold: Handler<"cancelFold"> = async ({ chat, params }) => {
  const fold = await find(chat.store, params);
  if (fold.status !== "queued" && fold.status !== "running") return fold;
  const here = chat.running.abort(foldKey(fold.id));
  if (here === 0) await publishEvent(chat, { type: "fold.cancel", ...params });
  if (fold.status === "running") return { ...fold, status: "cancelled" };
  // Still queued: the worker that picks it up finds it cancelled.
  const cancelled = {
    ...fold,
    status: "cancelled",
    progress: null,
    finishedAt: new Date(chat.now()).toISOString(),
  } as const;
  await saveFold(chat.store, cancelled);
  return cancelled;
};

async function find(store: OwnerStore, { sessionId, foldId }: { readonly sessionId: string; readonly foldId: string }) {
  await store.sessions.get(sessionId);
  const found = (await findFold(store, sessionId, foldId)) ?? (await foldOfSummary(store, sessionId, foldId));
  if (found !== undefined) return found;
  throw new MidfoldError(
    "NOT_FOUND",
    "There is no fold with this id; of folds without a summary only the newest 20 of a session are kept.",
  );
}

/** A fold whose own record is gone, or which was imported, as its summary tells of it: what the summary names can be opened. */
async function foldOfSummary(store: OwnerStore, sessionId: string, foldId: string): Promise<ChatFold | undefined> {
  const records = await store.snapshots.summaries(sessionId);
  const [first] = records
    .filter((record) => readExtra(record).foldId === foldId)
    .toSorted((a, b) => a.version - b.version);
  if (first === undefined) return undefined;
  return {
    id: foldId,
    sessionId,
    type: first.content.compressionType,
    action: "fold",
    status: "done",
    progress: null,
    startedAt: new Date(first.createdAt - (readExtra(first).durationMs ?? 0)).toISOString(),
    finishedAt: new Date(first.createdAt).toISOString(),
    result: null,
    error: null,
    skipReason: null,
  };
}

/** Tokens of a summary prompt without the history. */
const promptTokens = 800;

const longestPreviewMs = 15_000;

/** What a fold by hand would do, in numbers. Calls no model and changes nothing. */
async function preview(chat: Chat, sessionId: string, request: ChatFoldRequest): Promise<ChatFoldPreview> {
  const { loaded, selected } = await planByHand(chat, sessionId, request);
  const { model, weights, source } = loaded;
  const { records, count, plan, history } = selected;
  const [span] = plan.spans;
  const folded = span?.tokens ?? 0;
  const choice = chooseSummarizer(chat, model, request.model);
  const exact = choice.model === null && count > 0 ? await weighBuiltIn(chat, loaded, selected) : undefined;
  const expected = await expectLength(chat.store, choice.model ?? "", folded, span?.maxTokens ?? 0);
  const estimate = exact ?? expected;
  const rest = weights.total - folded;
  const possible = count > 0;
  const after = possible ? rest + estimate : weights.total;
  const costUsd = choice.model === null ? 0 : priceOf(choice.model, folded + promptTokens, estimate);
  const totals = await chat.store.messages.totals(sessionId);
  const last = records[count - 1];
  return {
    totalMessages: totals.messages,
    activeMessages: records.length,
    messagesToSummarize: count,
    messagesToKeep: source.messages.length - count,
    includesPreviousSummary: source.summary !== undefined,
    tokens: {
      before: weights.total,
      folded,
      kept: history.messages.slice(count).reduce((sum, message) => sum + model.counter.countMessage(message), 0),
      summaryEstimate: possible ? estimate : 0,
      after,
      // The built-in summary was written for this preview, so its size is exact.
      afterLow: possible && exact === undefined ? rest + Math.min(estimate, smallest) : after,
      afterHigh: possible && exact === undefined ? rest + (span?.maxTokens ?? 0) : after,
    },
    reductionPercent: weights.total === 0 ? 0 : Math.round((1000 * (weights.total - after)) / weights.total) / 10,
    costUsd,
    breakEvenTurns: breakEven(model.name, weights.total - after, costUsd),
    summarizer: { name: choice.summarizer.name, model: choice.model, why: choice.why },
    foldLine: last === undefined ? null : { messageId: last.id, sequence: last.seq },
    cuts: cutsOf(selected),
    warnings: warningsOf(loaded, selected),
    possible,
  };
}

/** Which messages a fold by hand would replace. */
async function planByHand(
  chat: Chat,
  sessionId: string,
  { retentionTokens = 0, throughMessageId, maxSummaryTokens, instructions, style }: ChatFoldRequest,
): Promise<{ readonly loaded: LoadedContext; readonly selected: SelectedHistory }> {
  const loaded = await loadContext(chat, sessionId);
  const selected = await selectHistory(chat, loaded, {
    retentionTokens,
    maxSummaryTokens: maxSummaryTokens ?? loaded.model.settings.maxSummaryTokens,
    throughMessageId,
    instructions,
    style,
    dryRun: true,
  });
  return { loaded, selected };
}

/** The built-in summarizer needs no model and little time: the fold is made for real, and counted. */
async function weighBuiltIn(
  chat: Chat,
  { model }: LoadedContext,
  { history }: SelectedHistory,
): Promise<number | undefined> {
  try {
    const written = await writeFold(chat, history, {
      model,
      choice: builtInSummarizer(model.counter, "preview"),
      signal: AbortSignal.timeout(longestPreviewMs),
    });
    return frameTokens(written, model.counter);
  } catch (error) {
    // A conversation of a few words has no shorter form; the dialog shows the estimate then.
    if (isMidfoldError(error, "SUMMARY_FAILED")) return undefined;
    throw error;
  }
}

/** After how many turns the tokens saved have paid for the summary; null when prices are unknown. */
function breakEven(model: string, savedTokens: number, costUsd: number | null): number | null {
  const { prices } = resolveModel(model);
  if (costUsd === null || prices.input === undefined || savedTokens <= 0) return null;
  if (costUsd === 0 || prices.input === 0) return 0;
  return Math.ceil(costUsd / ((savedTokens * (prices.cacheRead ?? prices.input)) / 1_000_000));
}

/** Every possible fold line, oldest first: the ends of atoms. */
function cutsOf({ plan, records, weights, history }: SelectedHistory): ChatFoldPreview["cuts"] {
  const ahead = history.options.previous === undefined ? 0 : 1;
  const total = weights.reduce((sum, tokens) => sum + tokens, 0);
  const cuts: ChatFoldPreview["cuts"] = [];
  let foldedTokens = 0;
  let messages = 0;
  for (const { last } of plan.atoms) {
    const end = last + 1 - ahead;
    const at = records[end - 1];
    if (at === undefined || end === 0) continue;
    for (; messages < end; messages++) foldedTokens += weights[messages] ?? 0;
    cuts.push({ messageId: at.id, sequence: at.seq, messages, foldedTokens, keptTokens: total - foldedTokens });
  }
  return cuts;
}

function nothingToFold({ source }: LoadedContext): string {
  return source.summary === undefined
    ? "There is nothing to summarize yet."
    : "Everything is summarized already. Say something first, or regenerate the summary.";
}

function warningsOf(loaded: LoadedContext, selected: SelectedHistory): ChatFoldPreview["warnings"] {
  const { weights, model } = loaded;
  const { count, plan, history } = selected;
  if (count === 0) return [{ code: "nothing-to-fold", message: nothingToFold(loaded) }];
  const warnings: ChatFoldPreview["warnings"] = [];
  if (weights.total < model.settings.minTokens) {
    warnings.push({
      code: "low-token-count",
      message: `The conversation has only ${weights.total} tokens; a summary will save little and may lose detail.`,
    });
  }
  if (plan.tokens.after > history.limit) {
    warnings.push({
      code: "context-critically-limited",
      message: "Even summarized, the context will be critically limited.",
    });
  }
  return warnings;
}
