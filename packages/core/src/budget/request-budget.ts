import { assertWindow } from "./assert-window.ts";
import { defaultSafetyTokens, outputReserve } from "./output-reserve.ts";

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
  /** The request asked for more than the window has: its limit must be lowered to `outputReserve`, and the client told. */
  readonly outputLowered: boolean;
  readonly safetyTokens: number;
  /** What the input (system, tools, messages) may weigh. */
  readonly budget: number;
}

/**
 * The budget of a request: model_max_tokens − max_completion_tokens − safety_buffer.
 *
 * @example requestBudget({ window: 128_000, maxOutput: 16_384, maxCompletionTokens: 4_096 }).budget; // 123804
 */
export function requestBudget(options: RequestBudgetOptions): RequestBudget {
  const { window, maxOutput, maxInput, safetyTokens = defaultSafetyTokens } = options;
  assertWindow(window);
  const reserve = outputReserve({ window, maxOutput, asked: options.maxCompletionTokens });
  const budget = Math.min(window - reserve - safetyTokens, maxInput ?? window);
  const outputLowered = Math.min(options.maxCompletionTokens ?? 0, maxOutput) > reserve;
  return { window, outputReserve: reserve, outputLowered, safetyTokens, budget: Math.max(0, Math.floor(budget)) };
}
