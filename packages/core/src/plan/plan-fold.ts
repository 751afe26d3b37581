import { Draft, type Rung } from "./draft.ts";
import type { Plan } from "./plan.ts";
import type { Goal, View } from "./view.ts";

/**
 * Climbs a ladder, cheapest rung first, until the conversation fits. Throws CONTEXT_OVERFLOW when it never does.
 *
 * @example const plan = planFold(view, { budget: 8_000, target: 5_000 }, rungsOf(presetOf("agent")));
 */
export function planFold(view: View, goal: Goal, rungs: readonly Rung[]): Plan {
  const draft = new Draft(view);
  for (const { name, rule, strategy, always } of rungs) {
    if (draft.total <= goal.target && always !== true) continue;
    draft.run(name, rule, strategy, goal);
  }
  return draft.finish(goal);
}
