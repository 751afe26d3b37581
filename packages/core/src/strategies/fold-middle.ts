import { isFrame } from "../digest/frame.ts";
import type { Draft, Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";
import type { Keep, Preset } from "../presets/preset.ts";
import { clipAtom, heldTokens, smallestNewest } from "./clip-newest.ts";

export interface FoldMiddleOptions {
  readonly head: Keep;
  readonly tail: Keep;
  /** `plain` leaves tool exchanges where they are. */
  readonly scope?: Preset["scope"];
  readonly replace: "digest" | "summary" | "nothing";
  /** A later rung folds exchanges too: where plain messages alone do not make room, all is left to it. */
  readonly exchangesNext?: boolean;
  /** Share (0–1) of the room that the frame gets before head and tail; what they leave goes to it as well. */
  readonly frameShare?: number;
  readonly maxFrameTokens?: number;
  /** What a frame written before needed: the rest of the room is for the tail. */
  readonly frameRoom?: number;
  /** An exchange that does not fit whole into what such a frame leaves may be kept with its results clipped. */
  readonly clipsEdge?: boolean;
}

/** A frame smaller than this says nothing worth its tokens. */
export const minFrameTokens = 20;
/** In less room than this the beginning is told by the frame. */
const smallHead = 1000;
/** What a frame gets at least, as far as the budget goes. */
const smallestFrame = 400;
/** And where the preset fixes both ends: there less would lose rules of the user. Elsewhere it brings the next fold nearer. */
const smallestFrameShare = 0.15;
/** In less room than this the exchange at the edge of the tail is told, not clipped. */
const smallestEdge = 300;
/** The frame tells what such a clip leaves out, with this share of its room more. */
const edgeFrameShare = 0.15;
/** What the user answers may take this share of the room; more in room for a thousand tokens, less once there is work on it. */
const answerShare = 0.3;
const roomyAnswer = 1000;
const roomyAnswerShare = 0.5;
const workedShare = 0.1;
/** A user may send as many messages about the same thing. */
const mostInARow = 3;
/** Of less than this there would be little more than the mark of the clip. */
const smallestAnswer = 24;
/** A frame is no larger than this share of what it stands for. */
const largestShare = 0.9;

/**
 * Keeps the two ends of the conversation and folds what lies between. The room left by what must stay is shared: the
 * frame gets its share, then the head, then as much of the tail as fits; what is left over goes to the frame again.
 *
 * @example const strategy = foldMiddle({ head: { messages: 2 }, tail: { tokens: 4_000 }, replace: "digest" });
 */
export function foldMiddle(options: FoldMiddleOptions): Strategy {
  return function middle(draft, goal) {
    if (draft.total <= goal.target) return;
    const { atoms, holds, start } = draft.view;
    const plain = options.scope === "plain";
    const mayGo = (atom: number) =>
      holds[atom] === hold.free && draft.remains(atom) && !(plain && atoms[atom]!.kind === "exchange");
    const firmly = heldTokens(draft, mayGo);
    // Folding every plain message first would take the words from beside calls that stay, and change the start.
    if (options.exchangesNext === true && firmly > goal.budget - (goal.nextCall ?? 0)) return;
    const answered = keepAnswered(draft, goal.target - firmly, options, mayGo);
    const free = (atom: number) => atom !== answered && mayGo(atom);
    const held = answered < 0 ? firmly : firmly + draft.tokensOf(answered);
    const newest = atoms.length - 1;
    const own = draft.tokensOf(newest);
    const whole = Math.max(0, goal.target - held + own);
    const told = !plain && holds[newest] === hold.newest && own > whole / 2 && whole / 2 < smallestNewest;
    const movable = (atom: number) => free(atom) || (told && atom === newest);
    const room = Math.max(0, (told ? whole : whole - own) + (draft.openSpans.at(-1)?.frame ?? 0));
    const most = options.replace === "nothing" ? 0 : (options.maxFrameTokens ?? Number.POSITIVE_INFINITY);
    const stated = options.frameShare !== undefined;
    const frame = Math.min(options.frameRoom ?? most, frameOf(room, options.frameShare ?? 0.25, most));
    // The head's percentage is one of the whole budget and comes out of the frame's share, so that the tail never gets
    // smaller where the budget grows; a frame that is capped leaves the head and the tail the same room.
    const fromFrame = stated && options.frameRoom === undefined && most > room;
    const tellsHead = fromFrame && room < smallHead && options.head.firm !== true;
    const headRoom = fromFrame ? frame - minFrameTokens : room - frame;
    const head = take(
      draft,
      tellsHead ? {} : options.head,
      stated ? goal.target : headRoom,
      headRoom,
      start,
      1,
      movable,
    );
    const keepable = room - frame - (fromFrame ? 0 : head.used);
    // Where there is no room for the newest exchange, nothing older is shown in its stead.
    const kept = held - firmly;
    const tail = take(draft, told ? {} : options.tail, keepable + kept, keepable, newest, -1, movable, kept);
    // One large result before the tail left up to 40 % of the budget empty.
    const edge = tail.next;
    const left = keepable - tail.used;
    const clips = options.clipsEdge === true && options.frameRoom !== undefined && !told && left >= smallestEdge;
    let further = 0;
    if (clips && edge > head.next && movable(edge) && atoms[edge]!.kind === "exchange") {
      clipAtom(draft, edge, left * (1 - edgeFrameShare));
      if (draft.tokensOf(edge) <= left) {
        tail.next--;
        further = left * edgeFrameShare;
      }
    }

    // A rung before this one may have folded some of the middle: what is folded now joins its frame.
    const open = draft.openSpans.at(-1);
    const span = open?.index ?? draft.openSpan(options.replace === "summary" ? "summary" : "digest");
    for (let atom = head.next; atom <= tail.next; atom++) if (movable(atom)) draft.fold(atom, span);
    const without = draft.total - (open?.frame ?? 0);
    // Ends that must stay may already be above the low-water mark; what lies between is summarized all the same.
    const firm = options.head.firm === true && options.tail.firm === true;
    const wanted = Math.max(smallestFrame, firm ? goal.budget * smallestFrameShare : 0);
    const least = Math.floor(Math.min(goal.budget - without, wanted, draft.openSpans[span]!.tokens * 0.2));
    settleFrame(draft, span, Math.min(most + further, Math.max(goal.target - without, least)));
  };
}

/**
 * Folds whole old tool exchanges too, but only where the budget cannot be met without, now or on the next call: then down
 * to the low-water mark. Without the look ahead a session paid for its whole prefix twice in a row: once to leave out a
 * few words, and on the next call for this.
 */
export function foldExchanges(options: FoldMiddleOptions): Strategy {
  const all = foldMiddle({ ...options, scope: "all" });
  return function exchanges(draft, goal) {
    if (draft.total <= goal.budget - (goal.nextCall ?? 0)) return;
    const { atoms, holds } = draft.view;
    const newest = atoms.length - 1;
    const own = holds[newest] === hold.newest ? draft.tokensOf(newest) : 0;
    const room = goal.budget - heldTokens(draft, (atom) => holds[atom] === hold.free) + own;
    // A newest exchange that fills the room would push out all that was said before it, the task included.
    const cap = Math.max(room / 2, room - smallestFrame);
    if (own > cap && cap >= smallestNewest) clipAtom(draft, newest, cap);
    all(draft, goal);
  };
}

/**
 * What the user's last message answers stays, in its place before it, clipped to what the reply names where it takes more
 * than its share of the room: "the third, please" is nothing without the list. The atom, or -1.
 */
function keepAnswered(
  draft: Draft,
  room: number,
  { tail, replace }: FoldMiddleOptions,
  mayGo: (atom: number) => boolean,
): number {
  const { atoms, lastUser, messages } = draft.view;
  // A window is a window.
  if (replace === "nothing") return -1;
  let atom = lastUser - 1;
  while (atom > lastUser - mostInARow && atoms[atom]?.kind === "user") atom--;
  // An earlier frame is taken up by the new one, whoever said it.
  if (atoms[atom]?.kind !== "assistant" || !mayGo(atom) || isFrame(messages[atoms[atom]!.first]!)) return -1;
  const asked = lastUser === atoms.length - 1;
  // The assistant has replied and done: what stood before the question is answered, and no more to the point than the rest.
  if (lastUser === atoms.length - 2 && atoms[lastUser + 1]!.kind === "assistant") return -1;
  const share = !asked ? workedShare : room < roomyAnswer ? answerShare : roomyAnswerShare;
  const cap = Math.floor(Math.min(room * share, limitOf(tail, room)));
  if (cap < smallestAnswer) return -1;
  if (draft.tokensOf(atom) > cap) clipAtom(draft, atom, cap, { repliedBy: atoms[lastUser]!.last });
  return atom;
}

function frameOf(room: number, share: number, most: number): number {
  const frame = Math.min(most, Math.floor(room * share));
  return frame < minFrameTokens ? 0 : frame;
}

/** Gives a span the largest frame that is allowed and smaller than what it stands for, or none. */
export function settleFrame(draft: Draft, span: number, allowed: number): void {
  const { tokens } = draft.openSpans[span]!;
  const frame = Math.min(allowed, Math.floor(tokens * largestShare));
  draft.setFrame(span, frame < minFrameTokens ? 0 : frame);
}

/** How many tokens one end may keep, whatever its number of messages. */
function limitOf({ tokens = 0, percent = 0 }: Keep, whole: number): number {
  return Math.max(tokens, (percent / 100) * whole);
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
  taken = 0,
): { next: number; readonly used: number } {
  const limit = Math.min(room, limitOf(keep, whole) - taken);
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
