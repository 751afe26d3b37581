import { groupAtoms } from "../atoms/group-atoms.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import { type DigestLines, noLines, renderLines } from "../digest/lines.ts";
import { type Message, textMessage } from "../message/message.ts";
import type { Span } from "../plan/plan.ts";
import { clipAtSentence } from "../summary/accept-summary.ts";
import { findLoss } from "../summary/find-loss.ts";
import {
  carryOf,
  describeAttempt,
  runSummary,
  type SummaryOutcome,
  type SummaryPolicy,
  toDetails,
} from "../summary/run-summary.ts";
import { type SummarizeFunction, type Summarizer, toSummarizer } from "../summary/summarizer.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { attemptFold } from "./attempt-fold.ts";
import type { FoldResult } from "./fold-options.ts";
import { earlierFrame, type FoldJob, newMessages, spanMessages } from "./start-fold.ts";
import { believer, digestSpan, frameText, type SpanText, textRoom } from "./write-frames.ts";

/** A planned fold with its frames written by the summarizer, where the plan asks for a summary. */
export async function foldWithSummaries<Wire>(
  job: FoldJob<Wire>,
  summarizer: Summarizer | SummarizeFunction,
): Promise<FoldResult<Wire>> {
  const { onProgress } = job.conversation.options;
  onProgress?.({ stage: "writing", share: 0 });
  const texts = await writeSummaries(job, toSummarizer(summarizer));
  onProgress?.({ stage: "checking", share: 0 });
  // Should the outcome be over the budget, the texts at hand are shortened rather than written again by the model.
  return attemptFold(job, (current) => (current === job ? texts : shrinkTexts(current, texts)));
}

/** Writes every frame, with the summarizer where the plan asks for a summary. */
async function writeSummaries(job: FoldJob<unknown>, summarizer: Summarizer): Promise<SpanText[]> {
  const texts: SpanText[] = [];
  // One after the other: a summarizer is usually the same model, and spans are few.
  const { spans } = job.plan;
  for (const [index, span] of spans.entries()) {
    if (index > 0) job.conversation.options.onProgress?.({ stage: "writing", share: index / spans.length });
    const messages = spanMessages(job, span);
    texts.push(
      span.by === "digest" ? digestSpan(job, span, messages) : await summarizeSpan(job, span, messages, summarizer),
    );
  }
  return texts;
}

/** Tokens that hold a sentence or two. */
const shortSummary = 96;

async function summarizeSpan(
  job: FoldJob<unknown>,
  span: Span,
  messages: readonly Message[],
  summarizer: Summarizer,
): Promise<SpanText> {
  const earlier = earlierFrame(job, span);
  if (earlier?.since.length === 0) return { text: earlier.text, frame: earlier.text, by: "summary" };
  const room = textRoom(job, span, messages, "summary");
  // A short stretch gets room for a whole sentence and one try: what is not shorter than the stretch is not used.
  const short = room < shortSummary && job.conversation.preset.scope === "assistant-spans";
  const maxTokens = short
    ? Math.max(room, Math.min(shortSummary, job.conversation.preset.maxFrameTokens ?? shortSummary))
    : room;
  // Cascade: the previous summary plus what came since, unless this fold keeps something that one had folded.
  const since = earlier?.since ?? newMessages(job, span);
  const previous = earlier?.text ?? (since === undefined ? undefined : job.previous!.texts.join("\n\n"));
  const policy = short ? { attempts: 1 } : {};
  const outcome = await summarizePieces(job, since ?? messages, maxTokens, previous, summarizer, policy);
  if (outcome.kind === "digest") {
    const { attempts } = outcome;
    const times = attempts.length === 1 ? "one attempt" : `${attempts.length} attempts`;
    job.conversation.warn({
      code: "summary-fell-back",
      message: `No usable summary after ${times}: ${describeAttempt(attempts.at(-1))}. The digest stands in.`,
      details: { attempts: attempts.map(toDetails) },
    });
  }
  const { invented = [] } = outcome;
  if (invented.length > 0) {
    const shown = `${invented.slice(0, 5).join(", ")}${invented.length > 5 ? ", …" : ""}`;
    job.conversation.warn({
      code: "summary-invented",
      message: `The summary says what is in none of the messages, and is marked so: ${shown}.`,
      details: { invented },
    });
  }
  if (outcome.text === "") return { text: "", frame: "", by: outcome.kind, loss: outcome.report };
  return {
    text: outcome.carry,
    frame: frameText(job, span, messages, outcome.text, outcome.kind, outcome.ledger),
    by: outcome.kind,
    prose: outcome.text,
    ledger: outcome.ledger,
    loss: outcome.report,
    ...(outcome.model === undefined ? {} : { model: outcome.model }),
  };
}

/**
 * A summary of any length of history: what is longer than the summarizer can read is summarized piece by piece, each piece
 * carrying on the summary before it, so that nothing is left out of the prompt.
 */
async function summarizePieces(
  job: FoldJob<unknown>,
  messages: readonly Message[],
  maxTokens: number,
  previous: string | undefined,
  summarizer: Summarizer,
  policy: Partial<SummaryPolicy>,
): Promise<SummaryOutcome> {
  const { counter, options, messages: all } = job.conversation;
  const { system = [] } = options;
  const others = [...(typeof system === "string" ? [textMessage("system", system)] : system), ...all];
  const [first, ...further] = piecesOf(messages, counter, (options.summary?.inputTokens ?? 100_000) - maxTokens);
  const summarize = (piece: readonly Message[], before: string | undefined) =>
    runSummary({
      summarizer,
      messages: piece,
      others,
      counter,
      maxTokens,
      believes: believer(job),
      prompt: { ...options.summary, ...(before ? { previous: before } : {}) },
      now: options.clock?.now ?? (() => 0),
      sleep: options.clock?.sleep ?? (() => Promise.resolve()),
      policy: { ...options.summaryPolicy, ...policy },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  let outcome = await summarize(first ?? [], previous);
  if (further.length === 0) return outcome;
  let repaired = outcome.report.repaired;
  for (const [index, piece] of further.entries()) {
    const text = outcome.text.trimEnd().split("\n").at(-1)!.slice(0, 120);
    options.onProgress?.({ stage: "writing", share: (index + 1) / (further.length + 1), text });
    outcome = await summarize(piece, outcome.carry);
    repaired += outcome.report.repaired;
  }
  // Each piece was checked on its own; what came of the first ones is seen only at the end.
  const report = findLoss(outcome.carry, messages);
  const back = Math.min(repaired, report.kept);
  return { ...outcome, report: { ...report, kept: report.kept - back, repaired: back } };
}

/** Room for a prompt's own words, beside the transcript and the summary before it. */
const promptTokens = 2_500;
const smallestPiece = 1_000;

/** The messages in pieces of at most so many tokens, never cut inside a tool exchange. */
function piecesOf(messages: readonly Message[], counter: TokenCounter, inputTokens: number): readonly Message[][] {
  const most = Math.max(smallestPiece, inputTokens - promptTokens);
  const weights = messages.map((message) => counter.countMessage(message));
  const pieces: Message[][] = [];
  let room = -1;
  for (const { first, last, tokens } of groupAtoms(messages, weights, matchToolPairs(messages))) {
    if (tokens > room) {
      pieces.push([]);
      room = most;
    }
    pieces.at(-1)!.push(...messages.slice(first, last + 1));
    room -= tokens;
  }
  return pieces;
}

/** The same texts within the smaller spans of a second attempt; spans the first attempt did not have get a digest. */
function shrinkTexts(job: FoldJob<unknown>, texts: readonly SpanText[]): SpanText[] {
  const { counter } = job.conversation;
  return job.plan.spans.map((span, index) => {
    const messages = spanMessages(job, span);
    const known = texts[index];
    if (known === undefined || known.by === "digest") return digestSpan(job, span, messages);
    const room = textRoom(job, span, messages, "summary");
    const sizeOf = (lines: Partial<DigestLines>) => counter.count(renderLines({ ...noLines, ...lines }));
    const written = known.prose ?? known.text;
    const most = room - Math.min(counter.count(written) + 2, Math.ceil(room / 2));
    const ledger = lessOf(known.ledger ?? {}, (lines) => sizeOf(lines) <= most);
    const prose = clipAtSentence(written, Math.max(0, room - sizeOf(ledger) - 2), counter);
    const text = carryOf(prose, ledger);
    return {
      ...known,
      text,
      prose,
      ledger,
      frame: text === "" ? "" : frameText(job, span, messages, prose, "summary", ledger),
    };
  });
}

/** As many lines of a ledger as fit: its rules are the last to go. */
function lessOf(ledger: Partial<DigestLines>, fits: (ledger: Partial<DigestLines>) => boolean): Partial<DigestLines> {
  let lines = ledger;
  for (const section of ["log", "state", "unverified", "rules"] as const) {
    const all = lines[section] ?? [];
    const first = (count: number) => ({ ...lines, [section]: all.slice(0, count) });
    let low = 0;
    let high = fits(lines) ? 0 : all.length;
    if (high === 0) continue;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (fits(first(middle))) low = middle;
      else high = middle;
    }
    lines = first(low);
  }
  return lines;
}
