import type { Chat } from "../chat.ts";
import { toReplyRequest } from "../turn/to-reply-request.ts";
import { historyBudget } from "./history-budget.ts";
import type { LoadedContext } from "./load-context.ts";

/** From this share of the limit on, an estimate is not exact enough to decide. */
const doubtfulShare = 0.7;

/**
 * Asks the provider to count, where it can and where the answer matters. If that fails, the estimate is used and marked
 * as one, and the threshold is stricter for it.
 */
export async function confirmCount(chat: Chat, loaded: LoadedContext, signal: AbortSignal): Promise<LoadedContext> {
  const { model, weights } = loaded;
  const count = model.upstream?.countTokens?.bind(model.upstream);
  if (weights.exact || count === undefined) return loaded;
  if (weights.total < historyBudget(loaded).requestLimit * doubtfulShare) return loaded;
  try {
    const total = await count(toReplyRequest(loaded), signal);
    if (!(total > 0)) return loaded;
    const ratio = total / Math.max(1, weights.total);
    const scale = (tokens: number) => Math.round(tokens * ratio);
    return {
      ...loaded,
      weights: {
        ...weights,
        entries: weights.entries.map(scale),
        tools: scale(weights.tools),
        total,
        exact: true,
        counter: `${weights.counter}, confirmed by the provider`,
      },
    };
  } catch (error) {
    if (signal.aborted) throw error;
    chat.log.error({ err: error, model: model.name }, "the provider could not count the tokens; using an estimate");
    return loaded;
  }
}
