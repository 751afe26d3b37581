import type { Atom } from "../atoms/atom.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

/** How firmly an atom is held, weakest first. */
export const hold = {
  /** Any rung may take it. */
  free: 0,
  /** Instructions in the middle of the conversation: taken only when nothing else is left. */
  late: 1,
  /** The newest exchange: clipped where it is too large, folded only where the room is too small to show any of it. */
  newest: 2,
  /** Never leaves, but its tool results may be clipped when nothing else helps. */
  stays: 3,
  /** Goes out word for word. */
  untouchable: 4,
} as const;

/** What a strategy may look at: the conversation, grouped and weighed. */
export interface View {
  readonly messages: readonly Message[];
  /** Tokens per message. */
  readonly weights: ArrayLike<number>;
  readonly atoms: readonly Atom[];
  /** One of `hold` per atom. */
  readonly holds: Uint8Array;
  /** Messages that go out word for word, whatever the rest of their atom does: pinned ones and the last of the user. */
  readonly verbatim: ReadonlySet<number>;
  readonly counter: TokenCounter;
  /** Tokens of the request outside the messages. */
  readonly fixed: number;
  /** The first atom after the leading system messages. */
  readonly start: number;
  /** The atom with the newest words of the user, or -1. */
  readonly lastUser: number;
  /** The newest message in which the user says something, or -1. */
  readonly lastUserMessage: number;
  /** What an earlier fold of this conversation already did, by its first message. */
  readonly earlier: ReadonlyMap<number, EarlierSpan>;
}

/** Whether a call, or more than a reply, followed on the newest words of the user. */
export function isWorkedOn({ atoms, lastUser }: View): boolean {
  const after = atoms.length - 1 - lastUser;
  return lastUser >= 0 && (after > 1 || (after === 1 && atoms.at(-1)!.kind === "exchange"));
}

/** A stretch of messages that an earlier fold replaced by a frame, or left alone because its frame was no smaller. */
export interface EarlierSpan {
  readonly first: number;
  readonly last: number;
  /** The frame as it was sent, and what it costs; undefined where the messages stayed. */
  readonly frame: { readonly text: string; readonly tokens: number } | undefined;
}

export interface Goal {
  /** Never to be exceeded. */
  readonly budget: number;
  /** The low-water mark: gentle rungs work until the request is this small. */
  readonly target: number;
  /** Tokens that the next call is likely to add, where there will be one. */
  readonly nextCall?: number;
}
