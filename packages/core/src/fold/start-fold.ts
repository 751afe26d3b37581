import type { ToolPairs } from "../atoms/match-tool-pairs.ts";
import type { Message } from "../message/message.ts";
import { buildView } from "../plan/build-view.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import type { Plan, Span } from "../plan/plan.ts";
import { planFold } from "../plan/plan-fold.ts";
import { setGoal } from "../plan/set-goal.ts";
import type { View } from "../plan/view.ts";
import { rungsOf } from "../strategies/rungs.ts";
import type { Conversation } from "./read-conversation.ts";

/** A fold that is planned but not yet written: its spans still need their texts. */
export interface FoldJob<Wire> {
  readonly conversation: Conversation<Wire>;
  readonly view: View;
  readonly pairs: ToolPairs;
  readonly plan: Plan;
  /** The earlier fold of the same conversation, whose summary the new one carries on. */
  readonly previous: FoldRecord | undefined;
}

/** Plans a fold. `budget` is the conversation's own unless an attempt with it came out too large. */
export function startFold<Wire>(
  conversation: Conversation<Wire>,
  previous: FoldRecord | undefined,
  budget = conversation.limits.budget,
): FoldJob<Wire> {
  const { messages, weights, counter, fixed, preset, options, limits } = conversation;
  const pairs = conversation.pairs();
  const view = buildView({
    messages,
    weights,
    atoms: conversation.atoms(),
    counter,
    fixed,
    preserveRoles: preset.preserveRoles,
    pin: options.pin,
  });
  const share = options.target ?? preset.target;
  const { tokens: line = budget } = limits.trigger;
  // Told to fold, or triggered by messages or turns, although the size is fine: act as if it were already too much.
  const trigger = options.force === true || conversation.tokens <= line ? Math.min(line, conversation.tokens) : line;
  const goal = setGoal(view, { budget, trigger, share });
  return { conversation, view, pairs, plan: planFold(view, goal, options.rungs ?? rungsOf(preset)), previous };
}

/** The messages a span covers, in order. */
export function spanMessages(job: FoldJob<unknown>, span: Span): Message[] {
  return messagesOf(job, span);
}

/**
 * What a summary of the span has to say that the previous summary does not: the messages the earlier fold left in
 * place. Undefined when the earlier fold covers something this one keeps, since then its text says too much.
 */
export function newMessages(job: FoldJob<unknown>, span: Span): Message[] | undefined {
  const dropped = job.previous?.edits.filter((edit) => edit.do === "drop") ?? [];
  const end = dropped.at(-1)?.last;
  if (end === undefined) return undefined;
  const covered = new Set<number>();
  for (const atom of span.atoms) {
    const { first, last } = job.view.atoms[atom]!;
    for (let index = first; index <= Math.min(last, end); index++) covered.add(index);
  }
  for (const { first, last } of dropped) {
    for (let index = first; index <= last; index++) if (!covered.has(index)) return undefined;
  }
  const gone = (index: number) => dropped.some((edit) => index >= edit.first && index <= edit.last);
  return messagesOf(job, span, gone);
}

function messagesOf(job: FoldJob<unknown>, span: Span, skip?: (index: number) => boolean): Message[] {
  const out: Message[] = [];
  for (const atom of span.atoms) {
    const { first, last } = job.view.atoms[atom]!;
    for (let index = first; index <= last; index++) {
      if (skip?.(index) !== true) out.push(job.view.messages[index]!);
    }
  }
  return out;
}
