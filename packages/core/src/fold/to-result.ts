import { type Role, textOf } from "../message/message.ts";
import type { Edited } from "../plan/apply-edits.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import type { Plan } from "../plan/plan.ts";
import { noteClips } from "./clip-new-results.ts";
import type { FoldResult, FoldTokens } from "./fold-options.ts";
import type { Conversation } from "./read-conversation.ts";

/** The conversation as it came, apart from tool results that were clipped on arrival. */
export function unfolded<Wire>(conversation: Conversation<Wire>, outcome: "fits" | "below-minimum"): FoldResult<Wire> {
  const { wire, given, messages, clipped, tokens } = conversation;
  const same = clipped.size === 0 && messages.length === wire.length;
  const origins = same ? [] : messages.map((_, index) => index);
  return {
    messages: same ? (wire as Wire[]) : toWire(conversation, { messages, origins }),
    changed: !same || wire !== given,
    plan: noteClips(conversation, emptyPlan(conversation, tokens)),
    tokens: sizes(conversation, tokens),
    state: undefined,
    outcome: clipped.size > 0 ? "clipped" : outcome,
    warnings: conversation.warnings,
  };
}

/** Messages no edit touched leave as the very objects they came as. */
export function toWire<Wire>(conversation: Conversation<Wire>, { messages, origins }: Edited): Wire[] {
  const { format, clipped } = conversation;
  const added = new Map<string, number>();
  return messages.map((message, index) => {
    if (origins[index]! >= 0 && !clipped.has(origins[index]!)) return message.source as Wire;
    const text = textOf(message);
    const repeats = added.get(text) ?? 0;
    added.set(text, repeats + 1);
    return format.encode(message, exampleOf(conversation, message.role), repeats) as Wire;
  });
}

/** The message whose spelling new ones follow. The first, so that it stays the same one as the conversation grows. */
function exampleOf({ messages }: Conversation<unknown>, role: Role): unknown {
  return (messages.find((message) => message.role === role) ?? messages[0]!).source;
}

export function folded<Wire>(
  conversation: Conversation<Wire>,
  edited: Edited,
  plan: Plan,
  record: FoldRecord,
  outcome: "reused" | "folded",
): FoldResult<Wire> {
  const { after, target, breakEvenCalls } = plan.tokens;
  return {
    messages: toWire(conversation, edited),
    changed: true,
    plan: noteClips(conversation, plan),
    tokens: { ...sizes(conversation, after), target, ...(breakEvenCalls !== undefined && { breakEvenCalls }) },
    state: record,
    outcome,
    warnings: conversation.warnings,
  };
}

/** A plan in which nothing was decided, because nothing had to be. */
export function emptyPlan(conversation: Conversation<unknown>, tokens: number): Plan {
  const { budget } = conversation.limits;
  return {
    atoms: [],
    decisions: [],
    reasons: [],
    spans: [],
    cuts: [],
    rungs: [],
    tokens: { before: tokens, after: tokens, budget, target: budget, fixed: conversation.fixed },
  };
}

function sizes(conversation: Conversation<unknown>, after: number): FoldTokens {
  const { limits, fixed, counter, tokens, clippedTokens } = conversation;
  return {
    before: tokens + clippedTokens,
    after,
    budget: limits.budget,
    target: limits.budget,
    window: limits.window,
    fixed,
    exact: counter.exact,
  };
}
