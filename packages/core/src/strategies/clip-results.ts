import type { Message } from "../message/message.ts";
import type { Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";

export interface ClipResultsOptions {
  /** What one tool result may cost afterwards. */
  readonly maxTokens: number;
  /** Clip only where the budget cannot be met otherwise, instead of down to the low-water mark. */
  readonly onlyOverBudget?: boolean;
  /** How many of the newest exchanges keep their results whole. */
  readonly protect?: number;
}

/**
 * Clips large tool results, oldest first. The newest stay whole unless one alone takes more than half the budget.
 *
 * @example const strategy = clipResults({ maxTokens: 2_000 });
 */
export function clipResults({ maxTokens, onlyOverBudget = false, protect = 2 }: ClipResultsOptions): Strategy {
  return function clip(draft, goal) {
    const line = onlyOverBudget ? goal.budget : goal.target;
    if (draft.total <= line) return;
    const { atoms, holds, messages } = draft.view;
    const half = Math.floor((goal.budget - draft.view.fixed) / 2);
    let newest = protect;
    let protectedFrom = atoms.length;
    for (let atom = atoms.length - 1; atom >= 0 && newest > 0; atom--) {
      if (atoms[atom]!.kind !== "exchange") continue;
      protectedFrom = atom;
      newest--;
    }
    for (let atom = 0; atom < atoms.length && draft.total > line; atom++) {
      if (atoms[atom]!.kind !== "exchange" || holds[atom] === hold.untouchable) continue;
      for (let index = atoms[atom]!.first; index <= atoms[atom]!.last; index++) {
        const results = countResults(messages[index]!);
        if (results === 0) continue;
        const cap = atom >= protectedFrom ? Math.max(half, maxTokens * results) : maxTokens * results;
        if (draft.tokensOfMessage(index) > cap) draft.cut(atom, { message: index, toTokens: cap });
      }
    }
  };
}

function countResults(message: Message): number {
  let results = 0;
  for (const part of message.parts) if (part.type === "tool-result") results++;
  return results;
}
