import { exceededTrigger } from "../budget/trigger.ts";
import type { Message } from "../message/message.ts";
import { isDueWhileCold } from "./due-while-cold.ts";
import type { FoldOptions, FoldResult } from "./fold-options.ts";
import type { Conversation } from "./read-conversation.ts";
import { unfolded } from "./to-result.ts";

/** The answer when nothing has to be folded; undefined when something must be. */
export function answerUnfolded<Wire>(conversation: Conversation<Wire>): FoldResult<Wire> | undefined {
  const { limits, options, preset, messages } = conversation;
  if (isAsked(options)) return undefined;
  const { tokens } = conversation;
  const turns = limits.trigger.turns === undefined ? 0 : countTurns(messages);
  const over = tokens > limits.budget;
  const exceeded = exceededTrigger(limits.trigger, { tokens, messages: messages.length, turns });
  if (!over && exceeded === undefined && !isDueWhileCold(conversation, tokens)) return unfolded(conversation, "fits");
  if (!over && (tokens < preset.minTokens || messages.length <= preset.minMessages)) {
    return unfolded(conversation, "below-minimum");
  }
  return undefined;
}

/** Whether somebody wants a fold although everything may fit. */
export function isAsked({ force, foldLine }: FoldOptions): boolean {
  return force === true || foldLine !== undefined;
}

function countTurns(messages: readonly Message[]): number {
  let turns = 0;
  for (const { role } of messages) if (role === "user") turns++;
  return turns;
}
