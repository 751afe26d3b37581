import type { Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";

/**
 * The oldest messages go first, until the request is within the target.
 *
 * @example await fold(messages, { rungs: [{ name: "oldest", rule: "the oldest go", strategy: tokenBudget() }] });
 */
export function tokenBudget(): Strategy {
  return function dropOldest(draft, goal) {
    const { atoms, holds, start } = draft.view;
    for (let atom = start; atom < atoms.length && draft.total > goal.target; atom++) {
      if (holds[atom] === hold.free) draft.drop(atom);
    }
  };
}
