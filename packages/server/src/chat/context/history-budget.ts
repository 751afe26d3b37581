import { type ChatBudget, chatBudget } from "@midfold/core/budget";
import type { LoadedContext } from "./load-context.ts";
import { historyTokens, tokensOf } from "./weigh-context.ts";

export interface HistoryBudget {
  readonly chat: ChatBudget;
  /** Tokens that count against it: everything but the new message. */
  readonly tokens: number;
  /** What a summary and the kept messages may take together. */
  readonly room: number;
  /** Size of the whole request at which it is folded. */
  readonly requestLimit: number;
  /** The window without output reserve and margin. */
  readonly usable: number;
}

/** For one request: the threshold, the reserves, and how much of it the history takes. */
export function historyBudget({ model, context, weights }: LoadedContext): HistoryBudget {
  const { settings, info } = model;
  const input = tokensOf(context, weights, "draft");
  const maxOutput =
    settings.maxOutputTokens === null ? info.maxOutput : Math.min(settings.maxOutputTokens, info.maxOutput);
  const line = (threshold: number, exact: boolean, inputTokens: number) =>
    chatBudget({
      window: info.window,
      maxOutput,
      threshold,
      inputTokens,
      marginShare: settings.safetyPercent / 100,
      exact,
    });
  const threshold = settings.thresholdPercent / 100;
  const chat = line(threshold, weights.exact, input);
  const tokens = weights.total - input;
  const history = historyTokens(context, weights);
  return {
    chat,
    tokens,
    room: Math.max(0, chat.budget - (tokens - history)),
    // Neither depends on the size of the new message.
    requestLimit: line(threshold, weights.exact, 0).budget,
    usable: line(1, true, 0).budget,
  };
}
