import type { Preset } from "../presets/preset.ts";
import { rungsOf } from "../strategies/rungs.ts";
import { Draft } from "./draft.ts";
import type { Plan } from "./plan.ts";
import type { Goal, View } from "./view.ts";

/** Climbs the preset's ladder, cheapest rung first, until the conversation fits. Throws CONTEXT_OVERFLOW if it cannot. */
export function planFold(view: View, goal: Goal, preset: Preset): Plan {
  const draft = new Draft(view);
  for (const { name, rule, strategy } of rungsOf(preset)) {
    if (draft.total <= goal.target) break;
    draft.run(name, rule, strategy, goal);
  }
  return draft.finish(goal);
}
