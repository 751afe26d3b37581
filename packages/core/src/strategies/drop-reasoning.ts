import type { Message } from "../message/message.ts";
import type { Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";

/**
 * Leaves out the reasoning of finished turns, which providers ignore anyway. Reasoning of the running turn stays, and so
 * does a reasoning item that stands alone: the item after it refers to it.
 *
 * @example await fold(messages, { rungs: [{ name: "reasoning", rule: "old reasoning", strategy: dropReasoning() }] });
 */
export function dropReasoning(): Strategy {
  return function reasoning(draft, goal) {
    const { atoms, holds, messages, weights, counter, lastUser } = draft.view;
    for (let atom = 0; atom < lastUser && draft.total > goal.target; atom++) {
      if (holds[atom] !== hold.free) continue;
      for (let index = atoms[atom]!.first; index <= atoms[atom]!.last; index++) {
        const rest = withoutReasoning(messages[index]!);
        if (rest === undefined) continue;
        const freed = weights[index]! - counter.countMessage(rest);
        draft.cut(atom, {
          message: index,
          toTokens: Math.max(0, draft.tokensOfMessage(index) - freed),
          withoutReasoning: true,
        });
      }
    }
  };
}

/** The message without its reasoning; undefined when it has none, or nothing else. */
export function withoutReasoning(message: Message): Message | undefined {
  const parts = message.parts.filter((part) => part.type !== "reasoning");
  if (parts.length === message.parts.length || parts.length === 0) return undefined;
  return { ...message, parts };
}
