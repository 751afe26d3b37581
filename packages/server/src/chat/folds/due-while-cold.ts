import { needsFoldWhileCold } from "@midfold/core/budget";
import { isCold } from "../../exchange/is-cold.ts";
import type { Chat } from "../chat.ts";
import { historyBudget } from "../context/history-budget.ts";
import type { LoadedContext } from "../context/load-context.ts";
import { tokensOf } from "../context/weigh-context.ts";

/**
 * Whether a history that still fits is summarized now, because the next turn would have it summarized anyway and the provider
 * has dropped the conversation from its cache: after a pause all of it is paid for anew.
 */
export function isDueWhileCold(chat: Pick<Chat, "now">, loaded: LoadedContext): boolean {
  const { model, context, weights } = loaded;
  const recent = context.entries.filter(({ kind }) => kind === "recent");
  const lastReply = recent.findLast(({ message }) => message.role === "assistant")?.record;
  if (lastReply === undefined || model.upstream === undefined) return false;
  // What another model was sent, this one's cache never had; imported replies do not say whose they are.
  const ownReply = lastReply.model === undefined || lastReply.model === model.name;
  if (ownReply && !isCold(model.upstream.destination, lastReply.createdAt, chat.now())) return false;
  const { tokens, room, chat: budget } = historyBudget(loaded);
  const { retentionTokens, maxSummaryTokens } = model.settings;
  return needsFoldWhileCold({
    size: tokens,
    line: budget.budget,
    // The summary is seldom as long as it may be.
    mark: budget.budget - room + retentionTokens + maxSummaryTokens,
    messages: recent.map(({ message }) => message),
    weight: tokensOf(context, weights, "recent"),
    prices: model.info.prices,
  });
}
