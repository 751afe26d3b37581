import type { Atom } from "../atoms/atom.ts";
import { findLastUser } from "../atoms/find-last-user.ts";
import { isFrame } from "../digest/frame.ts";
import type { Message, Role } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { type EarlierSpan, hold, type View } from "./view.ts";

export interface BuildViewInput {
  readonly messages: readonly Message[];
  readonly weights: ArrayLike<number>;
  readonly atoms: readonly Atom[];
  readonly counter: TokenCounter;
  readonly fixed: number;
  readonly preserveRoles: readonly Role[];
  readonly pin?: ((message: Message, index: number) => boolean) | undefined;
  readonly earlier?: ReadonlyMap<number, EarlierSpan>;
  /** The last message up to which a person wants everything folded; -1 when nobody does. */
  readonly foldLine?: number;
}

/** Decides what must stay whatever a strategy wants. */
export function buildView(input: BuildViewInput): View {
  const { messages, weights, atoms, counter, fixed, pin, earlier = new Map(), foldLine = -1 } = input;
  const preserved = new Set<string>(input.preserveRoles.map((role) => (role === "tool" ? "exchange" : role)));
  const lastSaid = findLastUser(messages, isFrame);
  const lastUserMessage = lastSaid > foldLine ? lastSaid : -1;
  const verbatim = findVerbatim(messages, lastUserMessage, pin);
  const spoken = atomsWith(verbatim, atoms);
  const holds = new Uint8Array(atoms.length);
  let start = 0;
  let lastUser = -1;
  for (let index = 0; index < atoms.length; index++) {
    const atom = atoms[index]!;
    const leading = index === start && atom.kind === "system" && !isFrame(messages[atom.first]!);
    if (leading) start++;
    if (lastUserMessage >= atom.first && lastUserMessage <= atom.last) lastUser = index;
    if (leading || spoken[index] === 1) {
      holds[index] = hold.untouchable;
    } else if (preserved.size > 0 && preserved.has(atom.kind)) {
      holds[index] = hold.stays;
    } else if (index === atoms.length - 1 && atom.first > foldLine) {
      holds[index] = hold.newest;
    } else if (atom.kind === "system" && !isFrame(messages[atom.first]!)) {
      holds[index] = hold.late;
    }
  }
  return { messages, weights, atoms, holds, verbatim, counter, fixed, start, lastUser, lastUserMessage, earlier };
}

function findVerbatim(messages: readonly Message[], lastUser: number, pin: BuildViewInput["pin"]): Set<number> {
  const verbatim = new Set<number>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (index === lastUser || message.pinned === true || pin?.(message, index) === true) verbatim.add(index);
  }
  return verbatim;
}

/** Which atoms hold a message of the set, whose members ascend. */
function atomsWith(set: ReadonlySet<number>, atoms: readonly Atom[]): Uint8Array {
  const found = new Uint8Array(atoms.length);
  let atom = 0;
  for (const message of set) {
    while (atoms[atom]!.last < message) atom++;
    found[atom] = 1;
  }
  return found;
}
