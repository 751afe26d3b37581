import { isFrame } from "../digest/frame.ts";
import type { Draft, Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";
import type { Preset } from "../presets/preset.ts";

export interface FoldOlderOptions {
  /** What stays as it is. The line wins where both are given and it is the nearer one. */
  readonly stays: {
    /** The newest so many tokens, in whole atoms. */
    readonly tokens?: number | undefined;
    /** Everything after this atom. */
    readonly line?: number | undefined;
  };
  readonly replace: Preset["replace"];
  readonly maxFrameTokens?: number | undefined;
}

/** Below this a summary says nothing worth its tokens. */
const smallestFrame = 64;
/**
 * The largest frame for what it stands for. Less would lose detail for nothing in short histories; more, and the next
 * fold is only a few turns away. An earlier frame counts whole: with a third of it, folds in short succession would leave
 * nothing of the first summary.
 */
const frameShare = 1 / 3;

/**
 * Folds everything that is older than what shall stay. Where that and a frame do not fit, fewer messages stay; where even
 * none of them leaves room, the frame is held shorter.
 */
export function foldOlder({ stays, replace, maxFrameTokens }: FoldOlderOptions): Strategy {
  const most = replace === "nothing" ? 0 : (maxFrameTokens ?? Number.POSITIVE_INFINITY);
  const least = Math.min(most, smallestFrame);
  const frameFor = (folded: number, framed: number) =>
    Math.max(least, Math.min(most, framed + Math.floor((folded - framed) * frameShare)));
  return function older(draft, goal) {
    const movable = movableAtoms(draft);
    const tokens = movable.map((atom) => draft.tokensOf(atom));
    const whole = tokens.reduce((sum, one) => sum + one, 0);
    const room = goal.target - (draft.total - whole);
    let count = wantedCount(movable, tokens, whole, stays);
    let folded = tokens.slice(0, count).reduce((sum, one) => sum + one, 0);
    const { atoms, messages } = draft.view;
    const framed = movable.map((atom) => isFrame(messages[atoms[atom]!.first]!));
    let framedTokens = tokens.slice(0, count).reduce((sum, one, at) => (framed[at] ? sum + one : sum), 0);
    const frame = () => (folded === 0 ? 0 : frameFor(folded, framedTokens));
    while (count < movable.length && whole - folded + frame() > room) {
      folded += tokens[count]!;
      if (framed[count]) framedTokens += tokens[count]!;
      count += 1;
    }
    // An earlier frame alone is not told again.
    if (framed.slice(0, count).every(Boolean)) return;
    const span = draft.openSpan(replace === "summary" ? "summary" : "digest");
    for (const atom of movable.slice(0, count)) draft.fold(atom, span);
    const left = Math.max(0, room - (whole - folded));
    draft.setFrame(span, Math.max(least, Math.min(frame(), left)));
  };
}

/** What may be folded, oldest first: all but the system prompt, what is pinned, and the newest words. */
function movableAtoms(draft: Draft): number[] {
  const { atoms, holds, start } = draft.view;
  const movable: number[] = [];
  for (let atom = start; atom < atoms.length; atom++) {
    if (holds[atom]! <= hold.late && draft.remains(atom)) movable.push(atom);
  }
  return movable;
}

/** How many of the oldest atoms shall go. */
function wantedCount(
  movable: readonly number[],
  tokens: readonly number[],
  whole: number,
  { tokens: retained, line }: FoldOlderOptions["stays"],
): number {
  const upToLine = line === undefined ? movable.length : movable.filter((atom) => atom <= line).length;
  if (retained === undefined) return upToLine;
  let count = 0;
  // The earliest cut whose rest is small enough keeps the most messages.
  for (let kept = whole; kept > retained; count++) kept -= tokens[count]!;
  return Math.min(count, upToLine);
}
