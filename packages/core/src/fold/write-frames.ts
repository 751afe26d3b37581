import { coveredMessages, frame, frameMessage } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import type { Span } from "../plan/plan.ts";
import { checkAndRepair, type LossReport } from "../summary/check-and-repair.ts";
import { digest } from "../summary/digest.ts";
import { type DigestLines, renderSections } from "../summary/digest-sections.ts";
import { earlierFrame, type FoldJob, newMessages, spanMessages } from "./start-fold.ts";

/** The text that stands for one span. An empty frame means that nothing was worth saying. */
export interface SpanText {
  /** Without the frame, ledger included: what the next summary carries on. */
  readonly text: string;
  /** As it is sent. */
  readonly frame: string;
  readonly by: "digest" | "summary";
  readonly model?: string;
  readonly loss?: LossReport;
}

/**
 * Up to this size a digest is made from the original messages every time, which loses least. Longer spans carry the digest
 * before them on, so that a fold costs what came since, not the whole history.
 */
const freshDigestTokens = 250_000;

/** Writes every frame without a model. */
export function writeDigests(job: FoldJob<unknown>): SpanText[] {
  return job.plan.spans.map((span) => digestSpan(job, span, spanMessages(job, span)));
}

export function digestSpan(job: FoldJob<unknown>, span: Span, messages: readonly Message[]): SpanText {
  const { counter } = job.conversation;
  const earlier = earlierFrame(job, span);
  if (earlier?.since.length === 0) return { text: earlier.text, frame: earlier.text, by: "digest" };
  const maxTokens = textRoom(job, span, messages, "digest");
  const since = span.tokens > freshDigestTokens && job.plan.spans.length === 1 ? newMessages(job, span) : undefined;
  const { text } =
    since === undefined
      ? digest(messages, { counter, maxTokens })
      : digest(since, { counter, maxTokens, previous: job.previous?.texts.join("\n") ?? "" });
  const written: SpanText = { text, frame: text === "" ? "" : frameText(job, messages, text, "digest"), by: "digest" };
  if (job.conversation.options.reportLoss !== true) return written;
  return { ...written, loss: checkAndRepair(text, messages, { counter, ledgerTokens: 0 }).report };
}

export function frameText(
  job: FoldJob<unknown>,
  messages: readonly Message[],
  text: string,
  kind: "digest" | "summary",
  ledger: Partial<DigestLines> = {},
): string {
  const { style } = job.conversation.preset.frame;
  if (style !== "plain") return frame({ kind, text, ledger, covers: coveredMessages(messages), style });
  const exact = renderSections({ constraints: [], events: [], ledger: [], ...ledger });
  return exact === "" ? text : `${text}\n\n${exact}`;
}

/** What the text itself may cost, once the frame around it is paid for. */
export function textRoom(
  job: FoldJob<unknown>,
  span: Span,
  messages: readonly Message[],
  kind: "digest" | "summary",
): number {
  const { counter, preset, format } = job.conversation;
  const covers = coveredMessages(messages);
  const { style } = preset.frame;
  const empty: Message =
    style === "plain"
      ? { role: preset.frame.role, parts: [{ type: "text", text: "" }] }
      : frameMessage({ kind, text: "", covers, style }, preset.frame.role);
  return Math.max(0, span.maxTokens - counter.countMessage(empty) - (format.traits.alternates ? turnTokens : 0));
}

/** Where turns must alternate, a frame may need one more short line; see `frame-lines.ts`. */
const turnTokens = 32;
