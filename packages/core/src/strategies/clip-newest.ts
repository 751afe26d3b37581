import type { Draft, Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";

/** What must stay may take this share of the budget; above it nothing else of the conversation would fit. */
const largestShare = 0.85;
/** What a newest message is clipped to, as a share of the budget that it has to itself. */
const clippedShare = 0.5;
/** In less room than this the newest exchange is better told than shown. */
export const smallestNewest = 150;
/** Below this a message only has room for its own marker. */
const floorTokens = 24;

/**
 * Where the newest messages alone fill the budget, clips them in their middle: first the results of the newest tool
 * calls, then the last message of the user. Without this a pasted listing would be refused, or crowd out everything else.
 */
export function clipNewest(): Strategy {
  return function clip(draft, goal) {
    const { atoms, holds, lastUser } = draft.view;
    const newest = atoms.length - 1;
    const candidates = [holds[newest] === hold.newest ? newest : -1, mayClip(draft, lastUser) ? lastUser : -1];
    let told = 0;
    for (const atom of candidates) {
      if (atom < 0) continue;
      const held = heldTokens(draft) - told;
      if (held <= goal.budget * largestShare) return;
      const own = draft.tokensOf(atom);
      const cap = Math.max(floorTokens, Math.floor((goal.budget - (held - own)) * clippedShare));
      if (atom !== lastUser && cap < smallestNewest) {
        // Too little to show any of it: `fold-middle` tells it in the frame, so the user's words need not make room for it.
        told = own;
        continue;
      }
      if (own > cap) clipAtom(draft, atom, cap);
    }
  };
}

/** The last user message alone, unless it is pinned or answers a call: what belongs to a pair is not touched here. */
function mayClip({ view }: Draft, atom: number): boolean {
  const { atoms, messages, lastUserMessage } = view;
  if (atom < 0 || atoms[atom]!.first !== atoms[atom]!.last || atoms[atom]!.pinned) return false;
  const { parts, pinned } = messages[lastUserMessage]!;
  return (
    pinned !== true && parts.every((part) => part.type === "text" || part.type === "file" || part.type === "image")
  );
}

function heldTokens(draft: Draft): number {
  const { atoms, holds, fixed } = draft.view;
  let held = fixed;
  for (let atom = 0; atom < atoms.length; atom++) if (holds[atom]! > hold.late) held += draft.tokensOf(atom);
  return held;
}

/** Brings an atom down to `cap` tokens, all of its messages to one level. */
function clipAtom(draft: Draft, atom: number, cap: number): void {
  const { first, last } = draft.view.atoms[atom]!;
  const sizes = Array.from({ length: last - first + 1 }, (_, at) => draft.tokensOfMessage(first + at));
  let level = cap;
  // Small messages stay as they are; what they leave is shared by the others.
  for (let round = 0; round < 4; round++) {
    const small = sizes.filter((size) => size <= level);
    const large = sizes.length - small.length;
    if (large === 0) break;
    level = Math.floor((cap - small.reduce((sum, size) => sum + size, 0)) / large);
  }
  level = Math.max(floorTokens, level);
  sizes.forEach((size, at) => {
    if (size > level) draft.cut(atom, { message: first + at, toTokens: level });
  });
}
