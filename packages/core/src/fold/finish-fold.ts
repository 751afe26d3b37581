import { MidfoldError } from "../errors/midfold-error.ts";
import { textMessage } from "../message/message.ts";
import { applyEdits } from "../plan/apply-edits.ts";
import type { Edit, FoldRecord } from "../plan/fold-record.ts";
import type { Decision, Plan, Span } from "../plan/plan.ts";
import { verify } from "../plan/verify.ts";
import { writeEdits } from "../plan/write-edits.ts";
import { findLoss } from "../summary/find-loss.ts";
import type { FoldResult } from "./fold-options.ts";
import { breakEvenCalls, cachePrices } from "./low-water.ts";
import { isSession } from "./recall-room.ts";
import { weighEdited } from "./reuse-record.ts";
import { type FoldJob, spanMessages } from "./start-fold.ts";
import { folded, unfolded } from "./to-result.ts";
import { digestSpan, type SpanText } from "./write-frames.ts";

/** A finished fold, or by how many tokens it came out over the budget. */
export type Finished<Wire> = { readonly result: FoldResult<Wire> } | { readonly over: number };

/** Applies a planned fold, counts what came out, and checks it before anybody sees it. */
export function finishFold<Wire>(job: FoldJob<Wire>, written: readonly SpanText[]): Finished<Wire> {
  const { conversation, view, pairs } = job;
  const { plan, texts, kept } = keepUnshortened(job, written);
  const { format, preset, limits, options, messages } = conversation;
  const { role } = preset.frame;
  const quotesTools = foldsTools(plan) || options.previous?.role === "user";
  const planned = writeEdits({
    plan,
    view,
    pairs,
    traits: format.traits,
    frameRole: quotesTools && role === "system" ? "user" : role,
    frames: texts.map((text) => text.frame),
  });
  const before = weighEdited(conversation, applyEdits(messages, planned));
  if (before > limits.budget) return { over: before - limits.budget };
  const edits = conversation.recall?.(conversation, planned, limits.budget - before) ?? planned;
  const edited = applyEdits(messages, edits);
  const after = weighEdited(conversation, edited);
  const problems = verify({
    before: messages,
    after: edited,
    tokens: after,
    budget: limits.budget,
    traits: format.traits,
    mayClipLast: preset.rungs.includes("clip-newest"),
    pin: options.pin,
    foldLine: job.foldLine,
  });
  if (problems.length > 0) {
    throw new MidfoldError("INVARIANT_BROKEN", `The folded conversation failed its check: ${problems.join("; ")}.`, {
      details: { problems, preset: preset.name, rungs: plan.rungs },
    });
  }
  // What did not become smaller was not folded, and nobody is told that it was.
  if (after >= conversation.tokens) return { result: unfolded(conversation, "fits") };
  const tokens = { ...plan.tokens, after };
  const paysOff = isSession(options)
    ? breakEvenCalls(tokens, cachePrices(conversation.model.prices), options.cacheIsCold)
    : undefined;
  const exact = { ...plan, tokens: { ...tokens, ...(paysOff !== undefined && { breakEvenCalls: paysOff }) } };
  const result = folded(
    conversation,
    edited,
    exact,
    toRecord(job, edits, texts, edits === planned ? 0 : messages.length, kept, after),
    "folded",
  );
  const losses = texts.flatMap((text) => text.loss ?? []);
  return { result: losses.length === 0 ? result : { ...result, losses } };
}

/** Text of tools must not rise to the system role: a frame that quotes it is said by the user's side. */
function foldsTools({ atoms, spans }: Plan): boolean {
  return spans.some((span) => span.atoms.some((atom) => atoms[atom]!.kind === "exchange"));
}

function toRecord(
  job: FoldJob<unknown>,
  edits: readonly Edit[],
  texts: readonly SpanText[],
  /** Messages that excerpts depend on. */
  asked: number,
  kept: NonNullable<FoldRecord["kept"]>,
  after: number,
): FoldRecord {
  const { conversation } = job;
  const edited = edits.reduce((end, edit) => Math.max(end, endOf(edit)), 1);
  const covers = Math.max(asked, edited, (kept.at(-1)?.[1] ?? 0) + 1);
  const prefix = conversation.prefix(covers);
  const model = texts.find((text) => text.model !== undefined)?.model;
  return {
    id: `${prefix}-${covers.toString(36)}`,
    prefix,
    covers,
    preset: conversation.preset.name,
    edits,
    texts: texts.map((text) => text.text),
    tokens: { before: conversation.tokens, after },
    by: texts.some((text) => text.by === "summary") ? "summary" : texts.length > 0 ? "digest" : "none",
    ...(kept.length === 0 ? {} : { kept }),
    ...(model === undefined ? {} : { model }),
    ...(job.dueSoon && { early: true }),
  };
}

/** A stretch below this many tokens rather stays than loses a number, a name or a path to a digest. */
const shortSpan = 300;

/**
 * Where each stretch has a frame of its own, a stretch whose frame came out empty or no smaller stays as it is: nothing
 * is gained by retelling it, and dropping it would lose it without a trace. A short one also stays where its digest lost
 * a number, an identifier, a path or the like. Only where the budget has no room for it does such a stretch go.
 */
function keepUnshortened(
  job: FoldJob<unknown>,
  written: readonly SpanText[],
): { readonly plan: Plan; readonly texts: readonly SpanText[]; readonly kept: NonNullable<FoldRecord["kept"]> } {
  const { plan, conversation, view } = job;
  const { counter, preset, limits } = conversation;
  if (preset.scope !== "assistant-spans") return { plan, texts: written, kept: [] };
  const spans: Span[] = [];
  const texts: SpanText[] = [];
  const kept: (readonly [number, number])[] = [];
  const costOf = ({ frame }: SpanText) =>
    frame === "" ? 0 : counter.countMessage(textMessage(preset.frame.role, frame));
  const costs = written.map(costOf);
  let room = plan.spans.reduce(
    (left, span, index) => left + span.maxTokens - costs[index]!,
    limits.budget - plan.tokens.after,
  );
  const places = plan.spans.map((span, index) => {
    let text = written[index]!;
    let gained = span.tokens - costs[index]!;
    let loses = gained > 0 && gained <= room && (text.frame === "" || losesExactly(job, span, text));
    const wider = loses && text.by === "digest" ? digestWider(job, span) : undefined;
    if (wider !== undefined) {
      text = wider;
      gained = span.tokens - costOf(text);
      loses = false;
    }
    const stays = gained <= 0 || loses;
    if (stays) {
      room -= gained;
      kept.push([view.atoms[span.atoms[0]!]!.first, view.atoms[span.atoms.at(-1)!]!.last]);
      return -1;
    }
    if (wider !== undefined) room -= span.tokens - costs[index]! - gained;
    texts.push(text);
    return spans.push(span) - 1;
  });
  const decisions = plan.decisions.map((decision): Decision => {
    if (decision.do !== "fold") return decision;
    const span = places[decision.span]!;
    return span < 0 ? { do: "keep" } : { do: "fold", span };
  });
  for (const { first, last, frame } of view.earlier.values()) if (frame === undefined) kept.push([first, last]);
  return { plan: { ...plan, decisions, spans }, texts, kept: kept.sort((a, b) => a[0] - b[0]) };
}

/** A digest of a short stretch with more room than the low-water mark left it; undefined where that loses something too. */
function digestWider(job: FoldJob<unknown>, span: Span): SpanText | undefined {
  const { maxFrameTokens = span.tokens } = job.conversation.preset;
  const maxTokens = Math.min(maxFrameTokens, Math.floor(span.tokens * widestShare));
  if (maxTokens <= span.maxTokens) return undefined;
  const text = digestSpan(job, { ...span, maxTokens }, spanMessages(job, span));
  return text.frame === "" || losesExactly(job, span, text) ? undefined : text;
}

/** A frame of more than this share of its stretch gains too little. */
const widestShare = 0.85;

function losesExactly(job: FoldJob<unknown>, span: Span, { text, by }: SpanText): boolean {
  if (by !== "digest" || span.tokens > shortSpan) return false;
  const { lostFacts } = findLoss(text, spanMessages(job, span));
  return lostFacts.some(({ kind }) => kind !== "symbol" && kind !== "name" && kind !== "command");
}

/** The first message the edit does not depend on. */
function endOf(edit: Edit): number {
  switch (edit.do) {
    case "drop":
      return edit.last + 1;
    case "insert":
      return edit.before;
    case "parts":
      return edit.at + 1;
  }
}
