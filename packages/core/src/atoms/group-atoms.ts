import type { Message } from "../message/message.ts";
import type { Atom } from "./atom.ts";
import type { ToolPairs } from "./match-tool-pairs.ts";

/**
 * Groups messages into atoms. Overlapping tool exchanges become one atom, so no cut can fall inside a pair. `earlier` is
 * how the same messages were grouped before, perhaps when there were fewer: what still holds of it is taken over.
 */
export function groupAtoms(
  messages: readonly Message[],
  weights: ArrayLike<number>,
  { reach }: ToolPairs,
  earlier: readonly Atom[] = [],
): Atom[] {
  const atoms: Atom[] = [];
  // The newest of what was there before, or is there now, may yet grow together with what comes after it.
  const open = Math.min(earlier.at(-1)?.last ?? 0, messages.length - 1);
  let next = 0;
  let first = 0;
  while (first < messages.length) {
    while (next < earlier.length && earlier[next]!.first < first) next++;
    const before = next < earlier.length ? earlier[next]! : undefined;
    const known = before?.first === first && before.last < open ? takeOver(before, weights, reach) : undefined;
    const atom = known ?? makeAtom(messages, weights, reach, first);
    atoms.push(atom);
    first = atom.last + 1;
  }
  return atoms;
}

/** An atom of an earlier grouping as it is now; undefined when an answer has come since that makes it longer. */
function takeOver(atom: Atom, weights: ArrayLike<number>, reach: ToolPairs["reach"]): Atom | undefined {
  let tokens = 0;
  for (let i = atom.first; i <= atom.last; i++) {
    if (reach[i]! > atom.last) return undefined;
    tokens += weights[i]!;
  }
  return tokens === atom.tokens ? atom : { ...atom, tokens };
}

function makeAtom(
  messages: readonly Message[],
  weights: ArrayLike<number>,
  reach: ToolPairs["reach"],
  first: number,
): Atom {
  let last = first;
  let tokens = 0;
  let pinned = false;
  for (let i = first; i <= last; i++) {
    last = Math.max(last, reach[i]!);
    if (i === last && leansOnNext(messages, i)) last++;
    tokens += weights[i]!;
    pinned ||= messages[i]!.pinned === true;
  }
  return { kind: kindOf(messages, first, last), first, last, tokens, pinned };
}

/**
 * Items of one model response that only make sense together: a reasoning item is rejected unless the item it led to
 * follows, and parallel calls that arrive as separate items are answered together.
 */
function leansOnNext(messages: readonly Message[], index: number): boolean {
  const message = messages[index]!;
  const next = messages[index + 1];
  if (message.role !== "assistant" || next?.role !== "assistant" || message.parts.length === 0) return false;
  if (message.parts.every((part) => part.type === "reasoning")) return true;
  return calls(message) && calls(next);
}

function calls(message: Message): boolean {
  return message.parts.some((part) => part.type === "tool-call" && part.hosted !== true);
}

function kindOf(messages: readonly Message[], first: number, last: number): Atom["kind"] {
  const message = messages[first]!;
  if (last > first) return "exchange";
  if (message.role === "tool") return "exchange";
  for (const part of message.parts) {
    if ((part.type === "tool-call" || part.type === "tool-result") && part.hosted !== true) return "exchange";
  }
  return message.role;
}
