import { clipParts } from "../clip/clip-parts.ts";
import type { Message } from "../message/message.ts";
import type { Cut, Decision, Plan } from "../plan/plan.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { Conversation } from "./read-conversation.ts";

/** No result is clipped on arrival below the first, and none stays whole above the second. */
const smallest = 2_000;
const largest = 20_000;

export interface ClipNewResultsOptions {
  /** Of the window; undefined: nothing is clipped. */
  readonly share: number | undefined;
  readonly window: number;
  readonly counter: TokenCounter;
  readonly pin?: ((message: Message, index: number) => boolean) | undefined;
}

/**
 * Clips tool results that are very large on their own, wherever they stand. It looks at one message at a time, so the
 * same message always leaves in the same form and a prefix that was sent once stays as it was.
 */
export function clipNewResults(
  messages: readonly Message[],
  { share, window, counter, pin }: ClipNewResultsOptions,
): { readonly messages: readonly Message[]; readonly clipped: ReadonlySet<number> } {
  const clipped = new Set<number>();
  if (share === undefined) return { messages, clipped };
  const limit = Math.min(largest, Math.max(smallest, Math.floor(window * share)));
  let changed: Message[] | undefined;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.role !== "tool" || message.pinned === true) continue;
    const cap = limit * message.parts.length;
    // Cheap way out: hardly any text costs more than two tokens a character.
    if (textLength(message) * 2 <= cap || counter.countMessage(message) <= cap) continue;
    if (pin?.(message, index) === true) continue;
    changed ??= [...messages];
    changed[index] = clipParts(message, cap, counter);
    clipped.add(index);
  }
  return { messages: changed ?? messages, clipped };
}

/** The plan with the results that were clipped before it was made: nothing leaves shorter than it came without a word. */
export function noteClips(conversation: Conversation<unknown>, plan: Plan): Plan {
  const { clipped, weights, clippedTokens } = conversation;
  if (clipped.size === 0) return plan;
  const atoms = plan.atoms.length === 0 ? conversation.atoms() : plan.atoms;
  const decisions: Decision[] = atoms.map((_, index) => plan.decisions[index] ?? { do: "keep" });
  const cuts = new Map<number, Cut>(plan.cuts.map((cut) => [cut.message, cut]));
  let changed = 0;
  for (let index = 0; index < atoms.length; index++) {
    const { first, last, tokens } = atoms[index]!;
    let touched = false;
    for (let message = first; message <= last; message++) {
      if (!clipped.has(message)) continue;
      touched = true;
      const gone = decisions[index]!.do === "drop" || decisions[index]!.do === "fold";
      if (!gone && !cuts.has(message)) cuts.set(message, { message, toTokens: weights[message]! });
    }
    if (!touched) continue;
    changed++;
    if (decisions[index]!.do === "keep") decisions[index] = { do: "clip", toTokens: tokens };
  }
  const reason = { rung: "clip-new-results", rule: "clip very large tool results as they appear" };
  return {
    ...plan,
    atoms,
    decisions,
    cuts: [...cuts.values()].sort((a, b) => a.message - b.message),
    reasons: [{ ...reason, atoms: changed, freed: clippedTokens }, ...plan.reasons],
    rungs: [reason.rung, ...plan.rungs],
    tokens: { ...plan.tokens, before: plan.tokens.before + clippedTokens },
  };
}

function textLength(message: Message): number {
  let length = 0;
  for (const part of message.parts) {
    if (part.type !== "tool-result") continue;
    for (const inner of part.content) length += inner.type === "text" ? inner.text.length : 10_000;
  }
  return length;
}
