import { waterLevel } from "../clip/clip-parts.ts";
import type { Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";

/** Below this a message only has room for its own marker. */
const floorTokens = 32;

/**
 * The last rung: brings the largest messages that are left down to one common level that makes the request fit. Never
 * the system prompt, pinned messages or the last words of the user.
 *
 * @example
 * await fold(messages, { rungs: [{ name: "clip", rule: "the largest messages", strategy: clipOversized() }] });
 */
export function clipOversized(): Strategy {
  return function level(draft, goal) {
    const over = draft.total - goal.budget;
    if (over <= 0) return;
    const places: { atom: number; index: number; tokens: number }[] = [];
    draft.view.atoms.forEach(({ first, last }, atom) => {
      if (draft.view.holds[atom] === hold.untouchable || !draft.remains(atom)) return;
      for (let index = first; index <= last; index++) {
        places.push({ atom, index, tokens: draft.tokensOfMessage(index) });
      }
    });
    const sizes = places.map(({ tokens }) => tokens);
    const cap = Math.max(floorTokens, waterLevel(sizes, over));
    for (const { atom, index, tokens } of places) if (tokens > cap) draft.cut(atom, { message: index, toTokens: cap });
  };
}
