import { requestBudget } from "../budget/request-budget.ts";
import { parseTrigger, type Trigger } from "../budget/trigger.ts";
import { MidfoldError } from "../errors/midfold-error.ts";
import type { ModelInfo } from "../models/model-info.ts";
import type { Preset } from "../presets/preset.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { FoldOptions } from "./fold-options.ts";

/** What an estimating counter may be off by when it does not say so itself. */
const defaultErrorBound = 0.05;

export interface Limits {
  readonly window: number;
  /** What the request's input may cost, by this counter. */
  readonly budget: number;
  /** Folds when any of these is exceeded, besides the budget. */
  readonly trigger: Trigger;
}

/** The preset's formula over the model's window. Counts that are estimates make the budget smaller by their error. */
export function budgetOf(
  options: FoldOptions,
  preset: Preset,
  model: Pick<ModelInfo, "window" | "maxOutput" | "maxInput">,
  counter: TokenCounter,
): Limits {
  const window = options.window ?? model.window;
  if (!(window > 0)) {
    throw new MidfoldError("VALIDATION_ERROR", `Context limit must be positive; window is ${window}.`);
  }
  const { budget: computed } = requestBudget({
    window,
    maxOutput: model.maxOutput,
    maxInput: options.window === undefined ? model.maxInput : undefined,
    maxCompletionTokens: options.maxOutputTokens,
    safetyTokens: preset.safetyTokens + Math.ceil((window * preset.safetyPercent) / 100),
  });
  if (options.budget !== undefined && !(options.budget > 0)) {
    throw new MidfoldError("VALIDATION_ERROR", `budget must be a positive number of tokens, not ${options.budget}.`);
  }
  const error = counter.exact ? 0 : (counter.errorBound ?? defaultErrorBound);
  const budget = options.budget ?? Math.floor(computed / (1 + error));
  return { window, budget, trigger: preset.trigger === undefined ? {} : parseTrigger(preset.trigger, window) };
}
