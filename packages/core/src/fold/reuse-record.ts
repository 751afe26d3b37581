import { exceededTrigger } from "../budget/trigger.ts";
import { applyEdits, type Edited } from "../plan/apply-edits.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import { verify } from "../plan/verify.ts";
import { isDueWhileCold } from "./due-while-cold.ts";
import type { FoldResult } from "./fold-options.ts";
import type { Conversation } from "./read-conversation.ts";
import { emptyPlan, folded as toFolded } from "./to-result.ts";

/** Growth since the last fold, as a share of the trigger, below which a fold that missed the trigger is not repeated. */
const patience = 0.1;

/**
 * The conversation with an earlier fold applied as it stands, when that still fits: this is what keeps the prefix
 * byte-identical from call to call. Undefined when there is no such record or it is time to fold again.
 */
export function reuseRecord<Wire>(
  conversation: Conversation<Wire>,
  record: FoldRecord | undefined,
): FoldResult<Wire> | undefined {
  if (record === undefined || !covers(conversation, record)) return undefined;
  const { budget, trigger } = conversation.limits;
  const folded = weighEdited(conversation, applyEdits(conversation.messages, record.edits));
  if (folded > budget) return undefined;
  const kept = withNewRecall(conversation, record, budget - folded);
  const edited = applyEdits(conversation.messages, kept.edits);
  const after = weighEdited(conversation, edited);
  // What the earlier fold dealt with no longer counts as messages and turns: its user messages stay, and would set off
  // every later call.
  const { tokens: line, ...others } = trigger;
  const since = {
    tokens: 0,
    messages: conversation.messages.length - record.covers,
    turns: turnsSince(conversation, record),
  };
  if (exceededTrigger(others, since) !== undefined) return undefined;
  const grown = after - record.tokens.after;
  if (line !== undefined && after > line && grown > patience * Math.min(budget, line)) return undefined;
  if (isDueWhileCold(conversation, after, record.tokens.after)) return undefined;
  const { messages: before, format, options, preset } = conversation;
  const mayClipLast = preset.rungs.includes("clip-newest");
  const problems = verify({
    before,
    after: edited,
    tokens: after,
    budget,
    traits: format.traits,
    mayClipLast,
    pin: options.pin,
  });
  if (problems.length > 0) return undefined;
  const plan = emptyPlan(conversation, conversation.tokens);
  // A record made in advance comes into force before it has to: the next call, which fits too, must find that out.
  const isEarly = kept.early !== true && isDueWhileCold(conversation, conversation.tokens);
  const sent: FoldRecord = isEarly ? { ...upTo(conversation, kept), early: true } : kept;
  return toFolded(conversation, edited, { ...plan, tokens: { ...plan.tokens, after } }, sent, "reused");
}

/** The record under the name of the whole conversation: where it is stored, what a name stands for never changes. */
function upTo(conversation: Conversation<unknown>, record: FoldRecord): FoldRecord {
  const covers = conversation.messages.length;
  const prefix = conversation.prefix(covers);
  const { origin = record.id } = record;
  return { ...record, id: `${prefix}-${covers.toString(36)}`, origin, prefix, covers };
}

/** In tokens: searching takes 10 ms for so much, and a reused fold is made where others wait for it. */
const mostSearched = 50_000;

/** A new question gets its excerpts; they join the record, so that later requests start with the same bytes. */
function withNewRecall(conversation: Conversation<unknown>, record: FoldRecord, room: number): FoldRecord {
  const covers = conversation.messages.length;
  if (record.covers >= covers) return record;
  const edits = conversation.recall?.(conversation, record.edits, room, mostSearched) ?? record.edits;
  if (edits === record.edits) return record;
  return { ...upTo(conversation, record), edits };
}

/** Whether the record was made for a start of exactly this conversation, under this preset. */
export function covers(conversation: Conversation<unknown>, record: FoldRecord): boolean {
  return record.preset === conversation.preset.name && tellsOf(conversation, record);
}

/** Whether this conversation begins with the messages that the record was made from. */
export function tellsOf({ messages, prefix }: Conversation<unknown>, record: FoldRecord): boolean {
  return record.covers <= messages.length && prefix(record.covers) === record.prefix;
}

export function weighEdited(conversation: Conversation<unknown>, { messages, origins }: Edited): number {
  const { weights, counter, fixed } = conversation;
  let tokens = fixed;
  for (let index = 0; index < messages.length; index++) {
    const origin = origins[index]!;
    tokens += origin >= 0 ? weights[origin]! : counter.countMessage(messages[index]!);
  }
  return tokens;
}

function turnsSince({ messages }: Conversation<unknown>, record: FoldRecord): number {
  let turns = 0;
  for (let index = record.covers; index < messages.length; index++) if (messages[index]!.role === "user") turns++;
  return turns;
}
