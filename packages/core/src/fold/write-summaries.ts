import { coveredMessages } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import type { Span } from "../plan/plan.ts";
import {
  describeAttempt,
  runSummary,
  type SummaryOutcome,
  type SummaryPolicy,
  toDetails,
} from "../summary/run-summary.ts";
import type { Summarizer } from "../summary/summarizer.ts";
import { earlierFrame, type FoldJob, newMessages, spanMessages } from "./start-fold.ts";
import { digestSpan, frameText, type SpanText, textRoom } from "./write-frames.ts";

/** Writes every frame, with the summarizer where the plan asks for a summary. */
export async function writeSummaries(job: FoldJob<unknown>, summarizer: Summarizer): Promise<SpanText[]> {
  const texts: SpanText[] = [];
  // One after the other: a summarizer is usually the same model, and spans are few.
  for (const span of job.plan.spans) {
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
  const maxTokens = short ? shortSummary : room;
  // Cascade: the previous summary plus what came since, unless this fold keeps something that one had folded.
  const since = earlier?.since ?? (job.plan.spans.length === 1 ? newMessages(job, span) : undefined);
  const previous = earlier?.text ?? (since === undefined ? undefined : job.previous?.texts.join("\n\n"));
  const outcome = await summarizeLevels(
    job,
    since ?? messages,
    maxTokens,
    previous,
    span.tree,
    summarizer,
    short ? { attempts: 1 } : {},
  );
  if (outcome.kind === "digest") {
    const { attempts } = outcome;
    const times = attempts.length === 1 ? "one attempt" : `${attempts.length} attempts`;
    job.conversation.warn({
      code: "summary-fell-back",
      message: `No usable summary after ${times}: ${describeAttempt(attempts.at(-1))}. The digest stands in.`,
      details: { attempts: attempts.map(toDetails) },
    });
  }
  if (outcome.text === "") return { text: "", frame: "", by: outcome.kind, loss: outcome.report };
  return {
    text: outcome.carry,
    frame: frameText(job, span, messages, outcome.text, outcome.kind, outcome.ledger),
    by: outcome.kind,
    loss: outcome.report,
    ...(outcome.model === undefined ? {} : { model: outcome.model }),
  };
}

/**
 * R3's tree: chunks are summarized on their own, then groups of summaries, until one text is left or the levels are
 * used up. Without a tree, or when one chunk holds everything, it is a single summary.
 */
async function summarizeLevels(
  job: FoldJob<unknown>,
  messages: readonly Message[],
  maxTokens: number,
  previous: string | undefined,
  tree: Span["tree"],
  summarizer: Summarizer,
  policy: Partial<SummaryPolicy>,
): Promise<SummaryOutcome> {
  if (tree === undefined || tree.levels < 2 || messages.length <= tree.chunkMessages) {
    return summarizeOnce(job, messages, maxTokens, previous, summarizer, policy);
  }
  const parts: Message[] = [];
  for (let start = 0; start < messages.length; start += tree.chunkMessages) {
    const chunk = messages.slice(start, start + tree.chunkMessages);
    const { text } = await summarizeOnce(job, chunk, maxTokens, undefined, summarizer, policy);
    const label = `Messages ${start + 1} to ${start + coveredMessages(chunk)}:`;
    if (text !== "") parts.push({ role: "user", parts: [{ type: "text", text: `${label}\n${text}` }] });
  }
  const above = { ...tree, levels: tree.levels - 1 };
  return summarizeLevels(job, parts, maxTokens, previous, above, summarizer, policy);
}

function summarizeOnce(
  job: FoldJob<unknown>,
  messages: readonly Message[],
  maxTokens: number,
  previous: string | undefined,
  summarizer: Summarizer,
  policy: Partial<SummaryPolicy>,
): Promise<SummaryOutcome> {
  const { counter, options } = job.conversation;
  return runSummary({
    summarizer,
    messages,
    counter,
    maxTokens,
    prompt: { ...options.summary, ...(previous === undefined || previous === "" ? {} : { previous }) },
    now: options.clock?.now ?? (() => 0),
    sleep: options.clock?.sleep ?? (() => Promise.resolve()),
    policy: { ...options.summaryPolicy, ...policy },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

/** The same texts within the smaller spans of a second attempt; spans the first attempt did not have get a digest. */
export function shrinkTexts(job: FoldJob<unknown>, texts: readonly SpanText[]): SpanText[] {
  const { counter } = job.conversation;
  return job.plan.spans.map((span, index) => {
    const messages = spanMessages(job, span);
    const known = texts[index];
    if (known === undefined || known.by === "digest") return digestSpan(job, span, messages);
    const text = counter.take(known.text, textRoom(job, span, messages, "summary"));
    return { ...known, text, frame: text === "" ? "" : frameText(job, span, messages, text, "summary") };
  });
}
