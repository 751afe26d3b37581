import type { Atom } from "../atoms/atom.ts";
import { type BuildViewInput, buildView } from "../plan/build-view.ts";
import { setGoal } from "../plan/set-goal.ts";
import type { View } from "../plan/view.ts";
import { cachePrices, callsPerTurn, growthPerCall, lowWaterShare, paysWhileCold } from "./low-water.ts";
import type { Conversation } from "./read-conversation.ts";
import { isSession, reservedForRecall } from "./recall-room.ts";

/**
 * Whether a request of this size, which fits, is folded all the same: the cache is cold, and a fold would be due soon.
 * `least` is what the last fold came down to, where that is more than it wanted: another one would gain no more.
 */
export function isDueWhileCold(conversation: Conversation<unknown>, size: number, least = 0): boolean {
  const { options, messages, tokens, fixed, model } = conversation;
  if (options.cacheIsCold !== true || !isSession(options)) return false;
  const mark = Math.max(least, markOf(conversation));
  const growth = growthPerCall(messages, tokens - fixed);
  const due = { size, line: lineOf(conversation), mark, growth, callsPerTurn: callsPerTurn(messages) };
  return paysWhileCold(due, cachePrices(model.prices));
}

/** Whether an earlier call may have folded this conversation although it fits. */
export function mayBeFoldedEarly(conversation: Conversation<unknown>): boolean {
  const { state, cache, cacheIsCold } = conversation.options;
  // No fold comes so early: below half of it, the budget is another one now, and has room for all.
  return (
    conversation.tokens * 2 > lineOf(conversation) &&
    (state == null ? cache !== undefined && cacheIsCold !== undefined : state.early === true)
  );
}

/** The size over which a conversation is folded. */
function lineOf({ limits }: Conversation<unknown>): number {
  return Math.min(limits.budget, limits.trigger.tokens ?? limits.budget);
}

/** What a fold of a session goes down to, as `startFold` plans it. */
function markOf(conversation: Conversation<unknown>): number {
  const { options, preset, limits } = conversation;
  const view = viewOf(conversation, conversation.atoms());
  const budget = limits.budget - reservedForRecall(conversation);
  const line = Math.min(budget, lineOf(conversation));
  const at = (share: number) => setGoal(view, { budget, trigger: line, share }).target;
  // Whoever says how many tokens stay has said how far a fold goes.
  if (options.retainTokens !== undefined) return at(0) + options.retainTokens;
  return at(options.target ?? preset.target ?? sessionShare(conversation, view, line));
}

/** Single calls fill their budget. Calls that pass records on are a session, whose prefix is cached between them. */
export function sessionShare(conversation: Conversation<unknown>, view: View, budget: number): number {
  const { options, messages, tokens, fixed, model } = conversation;
  if (!isSession(options)) return 1;
  const held = setGoal(view, { budget, share: 0 }).target;
  const room = setGoal(view, { budget, share: 1 }).target - held;
  return lowWaterShare(room, growthPerCall(messages, tokens - fixed), cachePrices(model.prices), held);
}

/** The conversation as strategies see it. */
export function viewOf(
  { messages, weights, counter, fixed, preset, options }: Conversation<unknown>,
  atoms: readonly Atom[],
  also?: Pick<BuildViewInput, "earlier" | "foldLine">,
): View {
  const { preserveRoles } = preset;
  return buildView({ messages, weights, atoms, counter, fixed, preserveRoles, pin: options.pin, ...also });
}
