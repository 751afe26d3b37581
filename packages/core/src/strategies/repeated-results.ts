import type { Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";

/** Results smaller than this are not worth a note. */
const minTokens = 200;
const note = "[The same call was made again later; this older output is left out.]";

/**
 * Replaces the output of a call by a note when the very same call was made again later: the older one is stale.
 *
 * @example
 * await fold(messages, { rungs: [{ name: "stale", rule: "asked again later", strategy: repeatedResults() }] });
 */
export function repeatedResults(): Strategy {
  return function repeated(draft, goal) {
    if (draft.total <= goal.target) return;
    const { atoms, holds, messages, counter } = draft.view;
    const noteTokens = counter.count(note) + 24;
    const seen = new Set<string>();
    const stale: { atom: number; index: number }[] = [];
    for (let atom = atoms.length - 1; atom >= 0; atom--) {
      if (atoms[atom]!.kind !== "exchange") continue;
      const { first, last } = atoms[atom]!;
      const calls: string[] = [];
      for (let index = first; index <= last; index++) {
        for (const part of messages[index]!.parts) {
          if (part.type === "tool-call") calls.push(`${part.name}\u0000${part.input}`);
        }
      }
      // Only an exchange all of whose calls were repeated is stale: results of parallel calls may share one message.
      const repeatedAll = calls.length > 0 && calls.every((call) => seen.has(call));
      if (repeatedAll && holds[atom] === hold.free) {
        for (let index = first; index <= last; index++) {
          const message = messages[index]!;
          if (message.role === "tool" && draft.tokensOfMessage(index) >= minTokens) stale.push({ atom, index });
        }
      }
      for (const call of calls) seen.add(call);
    }
    for (let i = stale.length - 1; i >= 0 && draft.total > goal.target; i--) {
      const { atom, index } = stale[i]!;
      const results = messages[index]!.parts.length;
      draft.cut(atom, { message: index, toTokens: noteTokens * results, note });
    }
  };
}
