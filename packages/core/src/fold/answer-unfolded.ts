import { exceededTrigger } from "../budget/trigger.ts";
import type { Message } from "../message/message.ts";
import type { FoldResult } from "./fold-options.ts";
import type { Conversation } from "./read-conversation.ts";
import { unfolded } from "./to-result.ts";

/** A byte-level token is at least one byte, and no character takes more than three of them in UTF-16 units. */
const maxTokensPerUnit = 3;
/** More than any counting rule adds around a part or a message. */
const maxOverhead = 32;

/** The answer when nothing has to be folded; undefined when something must be. */
export function answerUnfolded<Wire>(conversation: Conversation<Wire>): FoldResult<Wire> | undefined {
  const { limits, options, preset, messages } = conversation;
  if (options.force === true) return undefined;
  const line = Math.min(limits.budget, limits.trigger.tokens ?? limits.budget);
  const countsMatter = limits.trigger.messages !== undefined || limits.trigger.turns !== undefined;
  if (!countsMatter) {
    const bound = boundTokens(conversation, line);
    if (bound <= line) return unfolded(conversation, "fits", bound, false);
  }
  const { tokens } = conversation;
  const turns = limits.trigger.turns === undefined ? 0 : countTurns(messages);
  const over = tokens > limits.budget;
  const exceeded = exceededTrigger(limits.trigger, { tokens, messages: messages.length, turns });
  if (!over && exceeded === undefined) return unfolded(conversation, "fits", tokens, conversation.counter.exact);
  if (!over && (tokens < preset.minTokens || messages.length <= preset.minMessages)) {
    return unfolded(conversation, "below-minimum", tokens, conversation.counter.exact);
  }
  return undefined;
}

function countTurns(messages: readonly Message[]): number {
  let turns = 0;
  for (const { role } of messages) if (role === "user") turns++;
  return turns;
}

/** An upper bound of the size that needs no counting; gives up as soon as it passes `line`. */
function boundTokens({ messages, fixed, counter }: Conversation<unknown>, line: number): number {
  const perUnit = counter.exact ? maxTokensPerUnit : maxTokensPerUnit * 2;
  let bound = fixed;
  for (const message of messages) {
    bound += maxOverhead + (message.name?.length ?? 0) * perUnit;
    for (const part of message.parts) {
      bound += maxOverhead;
      if (part.type === "text") bound += part.text.length * perUnit;
      else if (part.type === "tool-call") bound += (part.name.length + part.input.length) * perUnit;
      else if (part.type === "tool-result") {
        for (const inner of part.content) {
          if (inner.type !== "text") return Number.POSITIVE_INFINITY;
          bound += maxOverhead + inner.text.length * perUnit;
        }
      } else return Number.POSITIVE_INFINITY;
    }
    if (bound > line) return Number.POSITIVE_INFINITY;
  }
  return bound;
}
