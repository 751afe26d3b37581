import type { Message } from "../message/message.ts";
import type { Atom } from "./atom.ts";
import type { ToolPairs } from "./match-tool-pairs.ts";

/** Groups messages into atoms. Overlapping tool exchanges become one atom, so no cut can fall inside a pair. */
export function groupAtoms(messages: readonly Message[], weights: ArrayLike<number>, pairs: ToolPairs): Atom[] {
  const atoms: Atom[] = [];
  let first = 0;
  while (first < messages.length) {
    let last = first;
    for (let i = first; i <= last; i++) {
      last = Math.max(last, pairs.reach[i]!);
      if (leansOnNext(messages, i)) last = Math.max(last, i + 1);
    }
    let tokens = 0;
    let pinned = false;
    for (let i = first; i <= last; i++) {
      tokens += weights[i]!;
      pinned ||= messages[i]!.pinned === true;
    }
    atoms.push({ kind: kindOf(messages, first, last), first, last, tokens, pinned });
    first = last + 1;
  }
  return atoms;
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
