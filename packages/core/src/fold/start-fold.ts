import type { Atom } from "../atoms/atom.ts";
import type { ToolPairs } from "../atoms/match-tool-pairs.ts";
import { MidfoldError } from "../errors/midfold-error.ts";
import type { Message } from "../message/message.ts";
import { turnLines } from "../message/turn-lines.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import type { Plan, Span } from "../plan/plan.ts";
import { planFold } from "../plan/plan-fold.ts";
import { setGoal } from "../plan/set-goal.ts";
import type { EarlierSpan, View } from "../plan/view.ts";
import type { FoldMiddleOptions } from "../strategies/fold-middle.ts";
import type { FoldOlderOptions } from "../strategies/fold-older.ts";
import { rungsOf } from "../strategies/rungs.ts";
import { isDueWhileCold, sessionShare, viewOf } from "./due-while-cold.ts";
import { growthPerCall } from "./low-water.ts";
import type { Conversation } from "./read-conversation.ts";
import { isSession, reservedForRecall } from "./recall-room.ts";
import { covers, tellsOf } from "./reuse-record.ts";

/** A fold that is planned but not yet written: its spans still need their texts. */
export interface FoldJob<Wire> {
  readonly conversation: Conversation<Wire>;
  readonly view: View;
  readonly pairs: ToolPairs;
  readonly plan: Plan;
  /** The earlier fold of the same conversation, whose summary the new one carries on. */
  readonly previous: FoldRecord | undefined;
  /** The last message up to which a person wants everything folded. */
  readonly foldLine: number | undefined;
  /** It is done before it is due, while the cache is cold. */
  readonly dueSoon: boolean;
  /** What a note may take that was planned before, where this plan leaves it less: rules and the user's words keep their room. */
  readonly sharesOf?: number;
}

/** What the earlier fold did, by stretch: its frame with what that costs, or that the messages stayed. */
function earlierSpans(conversation: Conversation<unknown>, record: FoldRecord | undefined): Map<number, EarlierSpan> {
  const spans = new Map<number, EarlierSpan>();
  if (record === undefined || !covers(conversation, record)) return spans;
  for (const [first, last] of record.kept ?? []) spans.set(first, { first, last, frame: undefined });
  let frame: { readonly before: number; text: string; tokens: number } | undefined;
  for (const edit of record.edits) {
    if (edit.do === "insert") {
      const [part] = edit.parts;
      if (part?.type !== "text") continue;
      const { text } = part;
      if (frame?.before !== edit.before) frame = { before: edit.before, text, tokens: 0 };
      // A line of the other side stands before or behind the frame: it is paid for with it, and is not what it says.
      else if (frame.text === turnLines.assistant) frame.text = text;
      frame.tokens += conversation.counter.countMessage({ role: edit.role, parts: edit.parts });
    } else if (edit.do === "drop" && frame?.before === edit.first) {
      spans.set(edit.first, { first: edit.first, last: edit.last, frame });
    }
  }
  return spans;
}

/** Plans a fold. `allowed` is the conversation's own budget unless an attempt with it came out too large. */
export function startFold<Wire>(
  conversation: Conversation<Wire>,
  previous: FoldRecord | undefined,
  allowed = conversation.limits.budget,
  frame?: Pick<FoldMiddleOptions, "frameRoom" | "maxFrameTokens">,
): FoldJob<Wire> {
  const { preset, options, limits } = conversation;
  const pairs = conversation.pairs();
  const atoms = conversation.atoms();
  const stays = whatStays(conversation, atoms, pairs);
  const foldLine = stays?.line === undefined ? undefined : (atoms[stays.line]?.last ?? -1);
  const view = viewOf(conversation, atoms, {
    // Only where every stretch has a frame of its own is an earlier frame still true when the next stretch is folded.
    earlier: preset.scope === "assistant-spans" ? earlierSpans(conversation, previous) : new Map(),
    ...(foldLine === undefined ? {} : { foldLine }),
  });
  const budget = allowed - reservedForRecall(conversation);
  const { tokens: line = budget } = limits.trigger;
  const dueSoon = isDueWhileCold(conversation, conversation.tokens);
  // Told to fold, or triggered by messages or turns, although the size is fine: act as if it were already too much.
  const early = options.force === true || (conversation.tokens <= Math.min(line, budget) && !dueSoon);
  // Whoever says what stays has said how far the fold goes.
  const trigger = early && stays === undefined ? Math.min(line, conversation.tokens) : line;
  const wanted = stays !== undefined ? 1 : sessionShare(conversation, view, Math.min(budget, trigger));
  // Filling what is there already would change nothing.
  const share =
    options.target ?? preset.target ?? (early && stays === undefined ? Math.min(earlyShare, wanted) : wanted);
  const goal = { ...setGoal(view, { budget, trigger, share }), nextCall: nextCall(conversation) };
  const plan = planFold(view, goal, options.rungs ?? rungsOf({ ...preset, ...frame }, stays));
  // What is held back for excerpts is part of the budget all the same.
  return {
    conversation,
    view,
    pairs,
    plan: { ...plan, tokens: { ...plan.tokens, budget: allowed } },
    previous,
    foldLine,
    dueSoon,
  };
}

/** What the options say about what stays: the newest tokens, and the last atom before the line (-1: none is). */
function whatStays(
  conversation: Conversation<unknown>,
  atoms: readonly Atom[],
  pairs: ToolPairs,
): FoldOlderOptions["stays"] | undefined {
  const { options, preset } = conversation;
  const { retainTokens: tokens, foldLine } = options;
  if (tokens === undefined && foldLine === undefined) return undefined;
  const name = tokens === undefined ? "foldLine" : "retainTokens";
  if (options.rungs !== undefined) {
    throw new MidfoldError("VALIDATION_ERROR", `${name} and rungs of one's own say two different things; give one.`);
  }
  if (preset.scope !== "all" || Object.keys(preset.head).length > 0 || !preset.rungs.includes("fold-middle")) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `${name} folds everything older, which the preset "${preset.name}" does not allow; use "chat" or "agent".`,
    );
  }
  return { tokens, line: foldLine === undefined ? undefined : lineAtom(conversation, foldLine, atoms, pairs) };
}

/** The last atom to fold: the line, moved to the nearer end of a tool exchange, and before a call that may still run. */
function lineAtom(
  { messages, given }: Conversation<unknown>,
  foldLine: string | number,
  atoms: readonly Atom[],
  pairs: ToolPairs,
): number {
  const at =
    typeof foldLine === "number"
      ? messages.findIndex(({ source }) => source === given[foldLine])
      : messages.findIndex(({ id }) => id === foldLine);
  if (at < 0) {
    throw new MidfoldError("VALIDATION_ERROR", `foldLine is ${foldLine}, and there is no such message.`);
  }
  const index = atoms.findIndex(({ last }) => last >= at);
  const { first, last } = atoms[index]!;
  const mayStillRun = index === atoms.length - 1 && pairs.unanswered.some(({ message }) => message >= first);
  return mayStillRun || at - first + 1 < last - at ? index - 1 : index;
}

/** How much of the present size a fold keeps that nothing but a person or a number of messages asked for. */
const earlyShare = 0.4;

/** A call that is not part of a session has no next one. */
function nextCall({ options, messages, tokens, fixed }: Conversation<unknown>): number {
  return isSession(options) ? growthPerCall(messages, tokens - fixed) : 0;
}

/** The messages a span covers, in order. */
export function spanMessages(job: FoldJob<unknown>, span: Span): Message[] {
  return messagesOf(job, span);
}

/** Where the messages of a span stand in the conversation. */
export function spanPlaces({ view }: FoldJob<unknown>, span: Span): number[] {
  const places: number[] = [];
  for (const atom of span.atoms) {
    const { first, last } = view.atoms[atom]!;
    for (let at = first; at <= last; at++) places.push(at);
  }
  return places;
}

/** The earlier frame that stands at the start of the span, and what of the span came after it. */
export function earlierFrame(
  job: FoldJob<unknown>,
  span: Span,
): { readonly text: string; readonly since: readonly Message[] } | undefined {
  const { atoms, earlier } = job.view;
  const known = earlier.get(atoms[span.atoms[0]!]!.first);
  if (known?.frame === undefined) return undefined;
  return { text: known.frame.text, since: messagesOf(job, span, (index) => index <= known.last) };
}

/**
 * What a summary of the span has to say that the previous summary does not: the messages the earlier fold left in
 * place. Undefined when the earlier fold covers something this one keeps, since then its text says too much, and when it
 * was made from other messages.
 */
export function newMessages(job: FoldJob<unknown>, span: Span): Message[] | undefined {
  const { previous, conversation } = job;
  // A summary of messages that say something else now is not carried on. One that no fold wrote has no prefix.
  if (previous === undefined || !(previous.prefix === "" || tellsOf(conversation, previous))) return undefined;
  const dropped = previous.edits.filter((edit) => edit.do === "drop");
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
