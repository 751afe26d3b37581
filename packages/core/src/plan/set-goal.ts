import { type Goal, hold, type View } from "./view.ts";

export interface GoalInput {
  readonly budget: number;
  /** The line that was crossed, when it lies below the budget. */
  readonly trigger?: number | undefined;
  /** The low-water mark as a share of the room that a fold can free at all. */
  readonly share: number;
}

/**
 * A fold goes down to a low-water mark, so that the next one is far away. What must stay is not room: with large tools
 * or a long system prompt, a share of the whole budget could not be reached, and every call would fold again.
 */
export function setGoal(view: View, { budget, trigger, share }: GoalInput): Goal {
  let held = view.fixed;
  for (let atom = 0; atom < view.atoms.length; atom++) {
    if (view.holds[atom]! >= hold.late) held += view.atoms[atom]!.tokens;
  }
  const line = Math.min(budget, trigger ?? budget);
  const room = Math.max(0, line - held);
  return { budget, target: Math.min(line, held + Math.floor(room * share)) };
}
