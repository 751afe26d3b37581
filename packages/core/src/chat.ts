/** What a chat app needs around a fold: when to try again, how many turns are left, where a summary's sentences come from. */
export { forecastTurns } from "./budget/forecast-turns.ts";
export {
  checkSources,
  linkSources,
  type SentenceRange,
  type SourceCheck,
  type SourceLink,
} from "./summary/link-sources.ts";
export {
  afterChatFailure,
  breakerFailures,
  breakerState,
  type ChatBreaker,
  closedBreaker,
} from "./summary/summary-breaker.ts";
export { defaultSummaryModel } from "./summary/summary-models.ts";
