import type { Atom } from "../atoms/atom.ts";
import { groupAtoms } from "../atoms/group-atoms.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import type { Message } from "../message/message.ts";

/** A place where history may be divided: the first `messages` are folded, the rest stays as it is. */
export interface ChatCut {
  readonly messages: number;
  readonly foldedTokens: number;
  readonly keptTokens: number;
}

/**
 * Every place where a conversation may be cut, oldest first, from "fold nothing" to "fold all". None falls inside a tool
 * exchange, and none after a call whose result may still come.
 */
export function chatCuts(messages: readonly Message[], weights: ArrayLike<number>): readonly ChatCut[] {
  const pairs = matchToolPairs(messages);
  const atoms = groupAtoms(messages, weights, pairs);
  const open = pairs.unanswered.at(-1)?.message ?? -1;
  const total = atoms.reduce((sum, atom) => sum + atom.tokens, 0);
  const cuts: ChatCut[] = [{ messages: 0, foldedTokens: 0, keptTokens: total }];
  let foldedTokens = 0;
  atoms.forEach((atom: Atom, index) => {
    foldedTokens += atom.tokens;
    const mayStillBeAnswered = index === atoms.length - 1 && open >= atom.first;
    if (!mayStillBeAnswered) cuts.push({ messages: atom.last + 1, foldedTokens, keptTokens: total - foldedTokens });
  });
  return cuts;
}
