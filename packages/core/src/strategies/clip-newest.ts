import type { Draft, Strategy } from "../plan/draft.ts";
import type { Cut } from "../plan/plan.ts";
import { hold, isWorkedOn } from "../plan/view.ts";

/** What must stay may take this share of the budget before a message that is no result is clipped: above it nothing else fits. */
const largestShare = 0.85;
/** What is clipped keeps this share of the budget that it has to itself. */
const clippedShare = 0.5;
/** And a request that there is work on: what was found and done since needs room beside it. */
const workedShare = 0.25;
/** In less room than this the newest exchange is better told than shown. */
export const smallestNewest = 150;
/** Below this a message only has room for its own marker. */
const floorTokens = 24;
/** The last words of the user are clipped down to this, a few words with a mark, before a request is refused. */
const leastWords = 12;
/** In less room than this nothing can be told beside them: they get all of it. */
const smallRoom = 64;

/**
 * Clips the newest messages in their middle: the results of the newest tool calls where they take more than half of the
 * room; the newest message and the last one of the user where nothing else would fit beside them. Without this a pasted
 * listing would be refused, or crowd out everything else.
 */
export function clipNewest(): Strategy {
  return function clip(draft, goal) {
    const { atoms, holds, lastUser } = draft.view;
    const newest = atoms.length - 1;
    const last = holds[newest] === hold.newest ? newest : -1;
    const candidates = [last, mayClip(draft, lastUser) ? lastUser : -1, last];
    let told = 0;
    for (const atom of candidates) {
      if (atom < 0) continue;
      if (atom === newest) told = 0;
      const held = heldTokens(draft, (other) => holds[other]! <= hold.late) - told;
      const own = draft.tokensOf(atom);
      const room = goal.budget - (held - own);
      if (atoms[atom]!.kind !== "exchange" && held <= goal.budget * largestShare) continue;
      // The rest of the conversation gets the other half, or less where it is smaller than that.
      const worked = atom === lastUser && isWorkedOn(draft.view);
      const share = atom === lastUser && room < smallRoom ? 1 : worked ? workedShare : clippedShare;
      const floor = atom === lastUser ? leastWords : floorTokens;
      const cap = Math.max(floor, Math.floor(room * share), room - (draft.total - held));
      if (atom !== lastUser && cap < smallestNewest) {
        // Too little to show any of it: `fold-middle` tells it in the frame, so the user's words need not make room for it.
        told = own;
        continue;
      }
      if (own > cap) clipAtom(draft, atom, cap, { floor });
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

/** What the request costs without the atoms that may go. */
export function heldTokens(draft: Draft, mayGo: (atom: number) => boolean): number {
  let held = draft.total;
  for (let atom = 0; atom < draft.view.atoms.length; atom++) if (mayGo(atom)) held -= draft.tokensOf(atom);
  return held;
}

/** Brings an atom down to `cap` tokens, all of its messages to one level. */
export function clipAtom(
  draft: Draft,
  atom: number,
  cap: number,
  { floor = floorTokens, ...how }: { readonly floor?: number } & Pick<Cut, "repliedBy"> = {},
): void {
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
  level = Math.max(floor, level);
  sizes.forEach((size, at) => {
    if (size > level) draft.cut(atom, { message: first + at, toTokens: level, ...how });
  });
}
