import type { Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";

export interface SelectiveOptions {
  /** Messages of these roles stay. */
  readonly preserveRoles?: readonly ("user" | "assistant" | "tool")[];
  /** Outputs of tools are left out before any message goes. */
  readonly toolResultsFirst?: boolean;
}

const note = "[Output left out to make room.]";

/**
 * Tool outputs go first, then the oldest messages of the roles that may go. Marked messages always stay.
 *
 * @example const strategy = selective({ preserveRoles: ["user", "assistant"] });
 */
export function selective({ preserveRoles = ["user"], toolResultsFirst = true }: SelectiveOptions = {}): Strategy {
  const kept = new Set(preserveRoles.map((role) => (role === "tool" ? "exchange" : role)));
  return function select(draft, goal) {
    const { atoms, holds, messages, start, counter } = draft.view;
    const noteTokens = counter.count(note) + 24;
    if (toolResultsFirst && !kept.has("exchange")) {
      for (let atom = start; atom < atoms.length && draft.total > goal.target; atom++) {
        if (holds[atom] !== hold.free || atoms[atom]!.kind !== "exchange") continue;
        for (let index = atoms[atom]!.first; index <= atoms[atom]!.last; index++) {
          const { role, parts } = messages[index]!;
          if (role === "tool") draft.cut(atom, { message: index, toTokens: noteTokens * parts.length, note });
        }
      }
    }
    for (let atom = start; atom < atoms.length && draft.total > goal.target; atom++) {
      if (holds[atom] === hold.free && !kept.has(atoms[atom]!.kind as "user")) draft.drop(atom);
    }
  };
}
