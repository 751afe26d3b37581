/** What a chat app needs around a fold: when to fold, what to keep, how to link a summary to its sources. */
export {
  afterChatFailure,
  breakerFailures,
  breakerState,
  type ChatBreaker,
  closedBreaker,
} from "./chat-retention/chat-breaker.ts";
export { type ChatCut, chatCuts } from "./chat-retention/chat-cuts.ts";
export { chunkHistory } from "./chat-retention/chunk-history.ts";
export { forecastTurns } from "./chat-retention/forecast-turns.ts";
export {
  checkSources,
  linkSources,
  type SentenceRange,
  type SourceCheck,
  type SourceLink,
} from "./chat-retention/link-sources.ts";
export {
  type ChatFoldOptions,
  type ChatFoldPlan,
  minSummaryTokens,
  planChatFold,
  summaryLimit,
} from "./chat-retention/plan-chat-fold.ts";
export { defaultSummaryModel } from "./chat-retention/summary-models.ts";
