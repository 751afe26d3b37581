import type { Message } from "../message/message.ts";
import type { Span } from "../plan/plan.ts";
import { digest } from "../summary/digest.ts";
import { coveredMessages, frame, frameMessage } from "../summary/frame.ts";
import type { FoldJob } from "./start-fold.ts";
import { spanMessages } from "./start-fold.ts";

/** The text that stands for one span, bare and as it is sent. An empty frame means that nothing was worth saying. */
export interface SpanText {
  readonly text: string;
  readonly frame: string;
  readonly by: "digest" | "summary";
  readonly model?: string;
}

/** Writes every frame without a model. */
export function writeDigests(job: FoldJob<unknown>): SpanText[] {
  return job.plan.spans.map((span) => digestSpan(job, span, spanMessages(job, span)));
}

export function digestSpan(job: FoldJob<unknown>, span: Span, messages: readonly Message[]): SpanText {
  const { counter } = job.conversation;
  const { text } = digest(messages, { counter, maxTokens: textRoom(job, span, messages, "digest") });
  return { text, frame: text === "" ? "" : frameText(job, messages, text, "digest"), by: "digest" };
}

export function frameText(
  job: FoldJob<unknown>,
  messages: readonly Message[],
  text: string,
  kind: "digest" | "summary",
): string {
  const { style } = job.conversation.preset.frame;
  if (style === "plain") return text;
  return frame({ kind, text, covers: coveredMessages(messages), style });
}

/** What the text itself may cost, once the frame around it is paid for. */
export function textRoom(
  job: FoldJob<unknown>,
  span: Span,
  messages: readonly Message[],
  kind: "digest" | "summary",
): number {
  const { counter, preset } = job.conversation;
  const covers = coveredMessages(messages);
  const { style } = preset.frame;
  const empty: Message =
    style === "plain"
      ? { role: preset.frame.role, parts: [{ type: "text", text: "" }] }
      : frameMessage({ kind, text: "", covers, style }, preset.frame.role);
  return Math.max(0, span.maxTokens - counter.countMessage(empty) - turnTokens);
}

/** Where turns must alternate, a frame may need one more short line; see `frame-lines.ts`. */
const turnTokens = 32;
