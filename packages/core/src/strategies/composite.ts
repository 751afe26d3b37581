import type { Strategy } from "../plan/draft.ts";

/** Runs strategies one after the other; each only acts while the goal is not met. */
export function composite(strategies: readonly Strategy[]): Strategy {
  return function chain(draft, goal) {
    for (const strategy of strategies) strategy(draft, goal);
  };
}

/** R3's FullHistoryStrategy. */
export function fullHistory(): Strategy {
  return function everything() {};
}
