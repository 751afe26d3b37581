import { historyBudget } from "../context/history-budget.ts";
import type { LoadedContext } from "../context/load-context.ts";
import type { ReplyRequest } from "../models/chat-models.ts";

/** The request as the model gets it, used for what `model-view` shows and for what a turn sends. */
export function toReplyRequest(loaded: LoadedContext, maxOutputTokens?: number): ReplyRequest {
  const { model, context, weights } = loaded;
  const reserve = historyBudget(loaded).chat.reserve.output;
  // More output than the window has left would make the provider refuse the request.
  const left = Math.max(1, model.info.window - weights.total);
  return {
    model: model.name,
    messages: context.messages,
    tools: context.tools,
    ...(model.settings.temperature === null ? {} : { temperature: model.settings.temperature }),
    maxOutputTokens: Math.max(1, Math.min(maxOutputTokens ?? reserve, model.info.maxOutput, left)),
  };
}
