/** Digests, summaries, frames and the check that compares a summary with what it stands for. */

export { type Digest, type DigestOptions, digest } from "./digest/digest.ts";
export { extractFacts } from "./digest/extract-facts.ts";
export type { Fact, FactKind, Speaker } from "./digest/fact.ts";
export {
  coveredMessages,
  type Frame,
  type FrameInput,
  type FrameKind,
  type FrameStyle,
  frame,
  frameMessage,
  frameOf,
  isFrame,
  parseFrame,
} from "./digest/frame.ts";
export { type Sign, signWith } from "./digest/sign.ts";
export { previousOf, recordOf, type SummaryFacts, withText } from "./fold/record-frames.ts";
export {
  type Acceptance,
  type AcceptSummaryOptions,
  acceptSummary,
  type SummaryFault,
} from "./summary/accept-summary.ts";
export {
  type CheckAndRepairOptions,
  checkAndRepair,
  type Repair,
} from "./summary/check-and-repair.ts";
export { createExtractiveSummarizer } from "./summary/extractive-summarizer.ts";
export type { LossReport } from "./summary/find-loss.ts";
export { renderHandlebars } from "./summary/render-handlebars.ts";
export {
  defaultSummaryPolicy,
  type RunSummaryOptions,
  runSummary,
  type SummaryAttempt,
  type SummaryOutcome,
} from "./summary/run-summary.ts";
export { type SerializedHistory, type SerializeHistoryOptions, serializeHistory } from "./summary/serialize-history.ts";
export { createSingleFlight, type SingleFlight } from "./summary/single-flight.ts";
export type { SummarizeFunction, Summarizer, SummaryRequest, SummaryResult } from "./summary/summarizer.ts";
export { summaryPrompt } from "./summary/summary-prompt.ts";
export { type TemplateName, templates } from "./summary/templates.ts";
