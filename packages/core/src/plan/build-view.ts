import { findLastUser } from "../atoms/find-last-user.ts";
import { groupAtoms } from "../atoms/group-atoms.ts";
import type { ToolPairs } from "../atoms/match-tool-pairs.ts";
import type { Message, Role } from "../message/message.ts";
import { isFrame } from "../summary/frame.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { hold, type View } from "./view.ts";

export interface BuildViewInput {
  readonly messages: readonly Message[];
  readonly weights: ArrayLike<number>;
  readonly pairs: ToolPairs;
  readonly counter: TokenCounter;
  readonly fixed: number;
  readonly preserveRoles: readonly Role[];
  readonly pin?: ((message: Message, index: number) => boolean) | undefined;
}

/** Groups and weighs a conversation, and decides what must stay whatever a strategy wants. */
export function buildView(input: BuildViewInput): View {
  const { messages, weights, counter, fixed, pin } = input;
  const atoms = groupAtoms(messages, weights, input.pairs);
  const preserved = new Set<string>(input.preserveRoles.map((role) => (role === "tool" ? "exchange" : role)));
  const lastUserMessage = findLastUser(messages, isFrame);
  const verbatim = findVerbatim(messages, lastUserMessage, pin);
  const holds = new Uint8Array(atoms.length);
  let start = 0;
  let lastUser = -1;
  for (let index = 0; index < atoms.length; index++) {
    const atom = atoms[index]!;
    const leading = index === start && atom.kind === "system" && !isFrame(messages[atom.first]!);
    if (leading) start++;
    if (lastUserMessage >= atom.first && lastUserMessage <= atom.last) lastUser = index;
    if (leading || hasAny(verbatim, atom.first, atom.last)) {
      holds[index] = hold.untouchable;
    } else if (preserved.has(atom.kind) || index === atoms.length - 1) {
      holds[index] = hold.stays;
    } else if (atom.kind === "system" && !isFrame(messages[atom.first]!)) {
      holds[index] = hold.late;
    }
  }
  return { messages, weights, atoms, holds, verbatim, counter, fixed, start, lastUser };
}

function findVerbatim(messages: readonly Message[], lastUser: number, pin: BuildViewInput["pin"]): Set<number> {
  const verbatim = new Set<number>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (index === lastUser || message.pinned === true || pin?.(message, index) === true) verbatim.add(index);
  }
  return verbatim;
}

function hasAny(set: ReadonlySet<number>, first: number, last: number): boolean {
  for (let index = first; index <= last; index++) if (set.has(index)) return true;
  return false;
}
