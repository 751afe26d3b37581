import type { Strategy } from "../plan/draft.ts";

/**
 * Runs strategies one after the other; each only acts while the goal is not met.
 *
 * @example const strategy = composite([dropReasoning(), clipResults({ maxTokens: 2_000 }), tokenBudget()]);
 */
export function composite(strategies: readonly Strategy[]): Strategy {
  return function chain(draft, goal) {
    for (const strategy of strategies) strategy(draft, goal);
  };
}

/**
 * Changes nothing, whatever the size.
 *
 * @example await fold(messages, { rungs: [{ name: "all", rule: "everything stays", strategy: fullHistory() }] });
 */
export function fullHistory(): Strategy {
  return function everything() {};
}
