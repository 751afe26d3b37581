import type { Draft, Strategy } from "../plan/draft.ts";
import type { Span } from "../plan/plan.ts";
import { hold } from "../plan/view.ts";
import type { Keep } from "../presets/preset.ts";
import { minFrameTokens, settleFrame } from "./settle-frame.ts";

export interface FoldMiddleOptions {
  readonly head: Keep;
  readonly tail: Keep;
  /** `plain` leaves tool exchanges where they are. */
  readonly scope?: "all" | "plain";
  readonly replace: "digest" | "summary" | "nothing";
  readonly maxFrameTokens?: number;
  readonly tree?: Span["tree"];
}

/**
 * Keeps the two ends of the conversation and folds what lies between. The room left by what must stay is shared: a
 * quarter for the frame, then the head's share, then as much of the tail as fits.
 */
export function foldMiddle(options: FoldMiddleOptions): Strategy {
  return function middle(draft, goal) {
    if (draft.total <= goal.target) return;
    const { atoms, holds, start } = draft.view;
    const plain = options.scope === "plain";
    const movable = (atom: number) =>
      holds[atom] === hold.free && draft.remains(atom) && !(plain && atoms[atom]!.kind === "exchange");
    const room = Math.max(0, goal.target - heldTokens(draft, movable));
    const frame = options.replace === "nothing" ? 0 : frameFor(room, options.maxFrameTokens ?? 2000);
    const keepable = room - frame;

    const head = take(draft, options.head, keepable, keepable, start, 1, movable);
    const tail = take(draft, options.tail, keepable, keepable - head.used, atoms.length - 1, -1, movable);

    const span = draft.openSpan(options.replace === "summary" ? "summary" : "digest", options.tree);
    for (let atom = head.next; atom <= tail.next; atom++) if (movable(atom)) draft.fold(atom, span);
    settleFrame(draft, span, frame);
  };
}

/** A quarter of the room, but no less than a frame needs to say anything, while that leaves as much again. */
function frameFor(room: number, most: number): number {
  const share = Math.min(most, Math.floor(room / 4));
  if (share >= minFrameTokens) return share;
  return room >= 2 * minFrameTokens ? Math.min(most, minFrameTokens) : 0;
}

function heldTokens(draft: Draft, movable: (atom: number) => boolean): number {
  let held = draft.total;
  for (let atom = 0; atom < draft.view.atoms.length; atom++) if (movable(atom)) held -= draft.tokensOf(atom);
  return held;
}

/** Walks from one end while atoms fit the limits. Atoms that stay anyway count as messages, not as tokens. */
function take(
  draft: Draft,
  keep: Keep,
  whole: number,
  room: number,
  from: number,
  step: 1 | -1,
  movable: (atom: number) => boolean,
): { next: number; used: number } {
  const limit = Math.min(room, Math.max(keep.tokens ?? 0, ((keep.percent ?? 0) / 100) * whole));
  const { atoms, start } = draft.view;
  let next = from;
  let used = 0;
  let messages = 0;
  for (; next >= start && next < atoms.length; next += step) {
    const { first, last } = atoms[next]!;
    messages += last - first + 1;
    if (!movable(next)) continue;
    const after = used + draft.tokensOf(next);
    const counted = keep.messages !== undefined && messages <= keep.messages;
    if (after > limit && !(counted && (keep.firm === true || after <= room))) break;
    used = after;
  }
  return { next, used };
}
