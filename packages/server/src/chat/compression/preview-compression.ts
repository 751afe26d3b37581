import { isMidfoldError, resolveModel } from "@midfold/core";
import { frame } from "@midfold/core/summaries";
import type { OwnerStore } from "@midfold/store";
import type { CompressionPreview, CompressionRequest } from "../../api/compression.ts";
import type { Chat } from "../chat.ts";
import { type LoadedContext, loadContext } from "../context/load-context.ts";
import { toMessage } from "../context/to-message.ts";
import { builtInSummarizer, chooseSummarizer } from "./choose-summarizer.ts";
import { summarySettings } from "./compress-session.ts";
import { type PlannedCompression, planCompression } from "./plan-compression.ts";
import { priceOf, writeSummary } from "./write-summary.ts";

/** R1's success metric: ten to one. The built-in summarizer and short histories stay below it. */
const expectedShare = 0.1;

const longestPreviewMs = 15_000;

/** R1 FR-2.3.2: what a manual compression would do, in numbers. Calls no model and changes nothing. */
export async function previewCompression(
  chat: Chat,
  store: OwnerStore,
  sessionId: string,
  request: CompressionRequest,
): Promise<CompressionPreview> {
  const loaded = await loadContext(chat, store, sessionId);
  const { model, weights, source } = loaded;
  const planned = await planCompression(chat, store, loaded, {
    retentionTokens: request.retentionTokens ?? 0,
    maxSummaryTokens: request.maxSummaryTokens ?? model.settings.maxSummaryTokens,
    throughMessageId: request.throughMessageId,
    dryRun: true,
  });
  const { plan, records, last } = planned;
  const totals = await store.messages.totals(sessionId);
  const choice = chooseSummarizer(chat, model, request.model);
  const folded = plan.cut.foldedTokens + planned.previousTokens;
  const expected = Math.min(plan.summaryTokens, Math.max(64, Math.round(folded * expectedShare)));
  const estimate =
    choice.model === null && plan.cut.messages > 0
      ? ((await weighBuiltIn(chat, loaded, planned, request)) ?? expected)
      : expected;
  const rest = weights.total - folded;
  const possible = plan.cut.messages > 0;
  const after = possible ? rest + estimate : weights.total;
  const costUsd = choice.model === null ? 0 : priceOf(choice.model, folded + 800, estimate);
  return {
    totalMessages: totals.messages,
    activeMessages: records.length,
    messagesToSummarize: plan.cut.messages,
    messagesToKeep: source.messages.length - plan.cut.messages,
    includesPreviousSummary: source.summary !== undefined,
    tokens: {
      before: weights.total,
      folded,
      kept: plan.cut.keptTokens + planned.heldTokens,
      summaryEstimate: possible ? estimate : 0,
      after,
      // What is already written does not vary.
      afterLow: possible && choice.model !== null ? rest + Math.min(estimate, 64) : after,
      afterHigh: possible && choice.model !== null ? rest + plan.summaryTokens : after,
    },
    reductionPercent: weights.total === 0 ? 0 : Math.round((1000 * (weights.total - after)) / weights.total) / 10,
    costUsd,
    breakEvenTurns: breakEven(model.name, weights.total - after, costUsd),
    summarizer: { name: choice.summarizer.name, model: choice.model, why: choice.why },
    foldLine: last === undefined ? null : { messageId: last.id, sequence: last.seq },
    cuts: toCuts(planned),
    warnings: warningsOf(planned, weights.total, model.settings.minTokens, source.summary !== undefined),
    possible,
  };
}

/** The built-in summarizer needs no model and no time to speak of: what it would write is written, and weighed. */
async function weighBuiltIn(
  chat: Chat,
  { model, source }: LoadedContext,
  planned: PlannedCompression,
  request: CompressionRequest,
): Promise<number | undefined> {
  const { cut, summaryTokens } = planned.plan;
  const covers = cut.messages + (source.summary?.content.messagesIncluded ?? 0);
  const written = await writeSummary(
    chat,
    {
      messages: planned.records.slice(0, cut.messages).map(toMessage),
      weights: planned.weights,
      covers,
      previous: source.summary?.content.summaryText,
      maxTokens: summaryTokens,
      settings: summarySettings(model.settings, request.style),
      instructions: request.instructions,
    },
    {
      model,
      choice: builtInSummarizer(model.counter, "preview"),
      signal: AbortSignal.timeout(longestPreviewMs),
      onProgress: () => undefined,
    },
  ).catch((error: unknown) => {
    // A conversation of a few words has no shorter form; the dialog shows the estimate then.
    if (isMidfoldError(error, "SUMMARY_FAILED")) return undefined;
    throw error;
  });
  if (written === undefined) return undefined;
  const framed = frame({ kind: "summary", text: written.text, covers });
  return model.counter.countMessage({ role: "system", parts: [{ type: "text", text: framed }] });
}

/** Turns until the tokens saved per turn have paid for the summary; null when prices are not known. */
function breakEven(model: string, savedTokens: number, costUsd: number | null): number | null {
  const { prices } = resolveModel(model);
  if (costUsd === null || prices.input === undefined || savedTokens <= 0) return null;
  if (costUsd === 0 || prices.input === 0) return 0;
  return Math.ceil(costUsd / ((savedTokens * (prices.cacheRead ?? prices.input)) / 1_000_000));
}

function toCuts({ plan, records }: PlannedCompression): CompressionPreview["cuts"] {
  return plan.cuts.flatMap(({ messages, foldedTokens, keptTokens }) => {
    const last = records[messages - 1];
    return last === undefined ? [] : [{ messageId: last.id, sequence: last.seq, messages, foldedTokens, keptTokens }];
  });
}

function warningsOf(
  { plan }: PlannedCompression,
  tokens: number,
  minTokens: number,
  hasSummary: boolean,
): CompressionPreview["warnings"] {
  if (plan.cut.messages === 0) {
    const message = hasSummary
      ? "Everything is summarised already. Say something first, or regenerate the summary."
      : "There is nothing to summarise yet.";
    return [{ code: "nothing-to-fold", message }];
  }
  const warnings: CompressionPreview["warnings"] = [];
  if (tokens < minTokens) {
    warnings.push({
      code: "low-token-count",
      message: `The conversation has only ${tokens} tokens; a summary will save little and may lose detail.`,
    });
  }
  if (plan.limited) {
    warnings.push({
      code: "context-critically-limited",
      message: "Even compressed, the context will be critically limited.",
    });
  }
  return warnings;
}
