import { assertWindow } from "./assert-window.ts";
import { outputReserve } from "./output-reserve.ts";

/** R0 3.4: room for counting errors. */
export const defaultSafetyTokens = 100;

export interface RequestBudgetOptions {
  readonly window: number;
  readonly maxOutput: number;
  readonly maxInput?: number | undefined;
  /** The request's own limit on the reply. */
  readonly maxCompletionTokens?: number | undefined;
  readonly safetyTokens?: number;
}

export interface RequestBudget {
  readonly window: number;
  readonly outputReserve: number;
  readonly safetyTokens: number;
  /** What the input (system, tools, messages) may weigh. */
  readonly budget: number;
}

/** R0 3.3: model_max_tokens − max_completion_tokens − safety_buffer, with the reply clamped so that room remains. */
export function requestBudget(options: RequestBudgetOptions): RequestBudget {
  const { window, maxOutput, maxInput, safetyTokens = defaultSafetyTokens } = options;
  assertWindow(window);
  const reserve = outputReserve({ window, maxOutput, asked: options.maxCompletionTokens });
  const budget = Math.min(window - reserve - safetyTokens, maxInput ?? window);
  return { window, outputReserve: reserve, safetyTokens, budget: Math.max(0, Math.floor(budget)) };
}
