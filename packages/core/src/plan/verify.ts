import { findLastUser } from "../atoms/find-last-user.ts";
import { findRunning } from "../atoms/find-running.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import { isFrame } from "../digest/frame.ts";
import type { FormatTraits } from "../formats/format.ts";
import type { Message } from "../message/message.ts";
import type { Edited } from "./apply-edits.ts";
import { firstSpeaker } from "./turns.ts";

export interface VerifyInput {
  readonly before: readonly Message[];
  readonly after: Edited;
  readonly tokens: number;
  readonly budget: number;
  readonly traits: FormatTraits;
  /** The preset may clip the last user message where it alone is too large. */
  readonly mayClipLast?: boolean;
  readonly pin?: ((message: Message, index: number) => boolean) | undefined;
  /** The last message up to which a person wanted everything folded. */
  readonly foldLine?: number | undefined;
}

/**
 * What is wrong with an outgoing conversation; empty when nothing is. Runs on every fold, in production too. Kept
 * messages are the same objects as before, so "untouched" is a question of identity, not of comparing text.
 */
export function verify(input: VerifyInput): string[] {
  const { before, after, tokens, budget, traits, mayClipLast, pin, foldLine = -1 } = input;
  const problems: string[] = [];
  if (tokens > budget) problems.push(`it is ${tokens} tokens, over the budget of ${budget}`);

  const kept = new Uint8Array(before.length);
  let latest = -1;
  for (const origin of after.origins) {
    if (origin < 0) continue;
    if (origin <= latest) problems.push(`message ${origin} is out of order`);
    latest = origin;
    kept[origin] = 1;
  }
  for (let index = 0; before[index]?.role === "system"; index++) {
    if (kept[index] === 0 && !isFrame(before[index]!)) problems.push(`system message ${index} was changed`);
  }
  const lastUser = findLastUser(before, isFrame);
  if (lastUser > foldLine && kept[lastUser] === 0 && mayClipLast !== true)
    problems.push(`the last user message (${lastUser}) was changed`);
  for (let index = 0; index < before.length; index++) {
    if (kept[index] === 1) continue;
    const message = before[index]!;
    if (message.pinned === true || pin?.(message, index) === true) problems.push(`pinned message ${index} was changed`);
  }

  // What must stay word for word stays even where it came in broken: there is nothing to repair it with.
  const repairable = (message: number) => {
    const origin = after.origins[message]!;
    if (origin < 0) return true;
    return origin !== lastUser && before[origin]!.pinned !== true && pin?.(before[origin]!, origin) !== true;
  };
  const { strays, unanswered } = matchToolPairs(after.messages);
  const stray = strays.find((part) => repairable(part.message));
  if (stray !== undefined) problems.push(`message ${stray.message} has a tool call or result without its partner`);
  const running = findRunning(after.messages);
  const open = unanswered.find((call) => call.message < running && repairable(call.message));
  if (open !== undefined) problems.push(`message ${open.message} has a tool call without its result`);

  if (traits.alternates && firstSpeaker(after.messages) === "assistant" && firstSpeaker(before) !== "assistant") {
    problems.push("it starts with an assistant message");
  }
  return problems;
}
