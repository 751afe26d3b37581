export type { Atom } from "./atoms/atom.ts";
export {
  approximateFactor,
  type ChatBudget,
  type ChatBudgetOptions,
  chatBudget,
  defaultMarginShare,
  defaultMinimumTokens,
  needsChatFold,
  thresholdFor,
} from "./budget/chat-budget.ts";
export { ContextBudget, type ContextBudgetOptions } from "./budget/context-budget.ts";
export { ContextLimits, type ContextLimitsOptions, defaultReservedTokens } from "./budget/context-limits.ts";
export { ContextTracker, type ContextTrackerOptions } from "./budget/context-tracker.ts";
export {
  defaultSafetyTokens,
  fallbackReserveShare,
  maxReserveShare,
  type OutputReserveOptions,
  outputReserve,
} from "./budget/output-reserve.ts";
export {
  type RequestBudget,
  type RequestBudgetOptions,
  requestBudget,
} from "./budget/request-budget.ts";
export { needsSandwich, type SandwichTriggerOptions } from "./budget/sandwich-trigger.ts";
export {
  defaultCompactTrigger,
  exceededTrigger,
  parseTrigger,
  type Trigger,
  type TriggerInput,
  type TriggerKind,
} from "./budget/trigger.ts";
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
export { type ClipMessageOptions, clipMessage } from "./clip/clip-message.ts";
export { type ClipTextOptions, clipText, defaultMarker } from "./clip/clip-text.ts";
export { ToolResultCompactor, type ToolResultCompactorOptions } from "./clip/tool-result-compactor.ts";
export { compact, compactPreset } from "./compact/compact.ts";
export { type CompactConfig, compactDefaults, parseCompactConfig } from "./compact/compact-config.ts";
export { ContextCompactor, type ContextCompactorOptions } from "./context-manager/context-compactor.ts";
export {
  ContextManager,
  type ContextManagerOptions,
  type ContextSnapshot,
} from "./context-manager/context-manager.ts";
export { TruncationMode } from "./context-manager/truncation-mode.ts";
export {
  CompositeStrategy,
  SelectiveTruncationStrategy,
  SlidingWindowStrategy,
  SmartTruncationStrategy,
  TokenBudgetStrategy,
  type TruncationStrategy,
} from "./context-manager/truncation-strategy.ts";
export {
  type ContextService,
  type ContextServiceOptions,
  createContextService,
} from "./context-strategy/context-service.ts";
export { type ContextState, type ContextStates, isStateValid } from "./context-strategy/context-state.ts";
export type { ContextResult, ContextStrategy } from "./context-strategy/context-strategy.ts";
export type { ContextStrategyOptions } from "./context-strategy/ends-strategy.ts";
export {
  fullHistoryStrategy,
  sandwichStrategy,
  slidingWindowStrategy,
  treeSummaryStrategy,
} from "./context-strategy/strategies.ts";
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
export type { ErrorCode } from "./errors/catalogue.ts";
export { errorCatalogue } from "./errors/catalogue.ts";
export type { MidfoldErrorOptions } from "./errors/midfold-error.ts";
export { isMidfoldError, MidfoldError } from "./errors/midfold-error.ts";
export type { Warn, Warning, WarningCode } from "./errors/warning.ts";
export { fold } from "./fold/fold.ts";
export type { Clock, FoldOptions, FoldOutcome, FoldResult, FoldTokens } from "./fold/fold-options.ts";
export { type FoldSyncOptions, foldSync } from "./fold/fold-sync.ts";
export { type MemoryCacheOptions, memoryCache } from "./fold/memory-cache.ts";
export { planOnly } from "./fold/plan-only.ts";
export type { DetectOptions } from "./formats/detect-format.ts";
export { detectFormat } from "./formats/detect-format.ts";
export type { DecodeOptions, Format, FormatName, FormatTraits } from "./formats/format.ts";
export { formats } from "./formats/formats.ts";
export { readTools, type ToolsInput } from "./formats/read-tools.ts";
export {
  type ReadTranscriptOptions,
  readTranscript,
  readTranscripts,
  type Transcripts,
} from "./formats/transcripts/read-transcript.ts";
export type { Transcript, TranscriptFormat } from "./formats/transcripts/transcript.ts";
export { fingerprint } from "./message/fingerprint.ts";
export { hashChain } from "./message/hash-chain.ts";
export type { Message, Role, ToolDefinition } from "./message/message.ts";
export { textOf } from "./message/message.ts";
export type {
  FilePart,
  ImagePart,
  OtherPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "./message/part.ts";
export {
  type DocumentModel,
  type DocumentName,
  documentOverrides,
  documentTables,
} from "./models/document-tables.ts";
export type { ModelCounting, ModelInfo, ModelOverride, ModelOverrides, ModelPrices } from "./models/model-info.ts";
export { type ModelName, parseModelName } from "./models/model-name.ts";
export {
  defaultRetentionTokens,
  defaultThreshold,
  type ResolveModelOptions,
  resolveModel,
  unknownWindow,
} from "./models/resolve-model.ts";
export { supportedModels } from "./models/supported-models.ts";
export { Draft, type Strategy } from "./plan/draft.ts";
export type { Edit, FoldCache, FoldRecord } from "./plan/fold-record.ts";
export type { Cut, Decision, Plan, PlanTokens, Reason, RungName, Span } from "./plan/plan.ts";
export { planFold } from "./plan/plan-fold.ts";
export type { Goal, View } from "./plan/view.ts";
export type { Keep, Preset, PresetName } from "./presets/preset.ts";
export { presetOf } from "./presets/preset-of.ts";
export { presets } from "./presets/presets.ts";
export { type AnswerRecallOptions, answerRecall } from "./recall/answer-recall.ts";
export { type Archive, type ArchiveEntry, type BuildArchiveOptions, buildArchive } from "./recall/build-archive.ts";
export { type RecallExcerptsOptions, type Recalled, recallExcerpts } from "./recall/recall-excerpts.ts";
export { recallTool } from "./recall/recall-tool.ts";
export { type SearchArchiveOptions, type SearchHit, searchArchive } from "./recall/search-archive.ts";
export { assistantSpans } from "./strategies/assistant-spans.ts";
export { clipOversized } from "./strategies/clip-oversized.ts";
export { clipResults } from "./strategies/clip-results.ts";
export { composite, fullHistory } from "./strategies/composite.ts";
export { tokenBudget } from "./strategies/drop-oldest.ts";
export { dropReasoning } from "./strategies/drop-reasoning.ts";
export { foldMiddle } from "./strategies/fold-middle.ts";
export { repeatedResults } from "./strategies/repeated-results.ts";
export { type Rung, rungsOf } from "./strategies/rungs.ts";
export { selective } from "./strategies/selective.ts";
export { shortenTail } from "./strategies/shorten-tail.ts";
export { slidingWindow } from "./strategies/sliding-window.ts";
export { middleOut, smart } from "./strategies/smart.ts";
export {
  type Acceptance,
  type AcceptSummaryOptions,
  acceptSummary,
  type SummaryFault,
} from "./summary/accept-summary.ts";
export {
  type CheckAndRepairOptions,
  checkAndRepair,
  type LossReport,
  type Repair,
} from "./summary/check-and-repair.ts";
export { detectLanguage } from "./summary/detect-language.ts";
export { type Digest, type DigestOptions, digest } from "./summary/digest.ts";
export { type ExtractFactsOptions, extractFacts } from "./summary/extract-facts.ts";
export { createExtractiveSummarizer } from "./summary/extractive-summarizer.ts";
export { renderHandlebars } from "./summary/render-handlebars.ts";
export {
  defaultSummaryPolicy,
  type RunSummaryOptions,
  runSummary,
  type SummaryAttempt,
  type SummaryOutcome,
  type SummaryPolicy,
} from "./summary/run-summary.ts";
export { type SerializedHistory, type SerializeHistoryOptions, serializeHistory } from "./summary/serialize-history.ts";
export { createSingleFlight, type SingleFlight } from "./summary/single-flight.ts";
export type { SummarizeFunction, Summarizer, SummaryRequest, SummaryResult } from "./summary/summarizer.ts";
export { type SummaryPromptOptions, summaryPrompt } from "./summary/summary-prompt.ts";
export { type TemplateName, templates } from "./summary/templates.ts";
export { ApproximateCounter, type ApproximateCounterOptions } from "./tokens/approximate-counter.ts";
export { CalibratedCounter, type CalibratedCounterOptions } from "./tokens/calibration/calibrated-counter.ts";
export type { Calibration, CalibrationLimits, CalibrationStore } from "./tokens/calibration/calibration.ts";
export { Calibrations, type CalibrationsOptions } from "./tokens/calibration/calibrations.ts";
export type { EncodingName } from "./tokens/encoding/encoding.ts";
export type {
  ChatRule,
  TextRule,
  TokenFamily,
  ToolCallRule,
  ToolChoiceRule,
  ToolListRule,
} from "./tokens/families/family.ts";
export { findFamily } from "./tokens/families/find-family.ts";
export { FamilyCounter } from "./tokens/family-counter.ts";
export { getCounter } from "./tokens/get-counter.ts";
export { guardCounter } from "./tokens/guard-counter.ts";
export { LengthCounter } from "./tokens/length-counter.ts";
export { overEstimate } from "./tokens/over-estimate.ts";
export { type PreparableCounter, type PrepareOptions, prepareCounts } from "./tokens/pool/prepare-counts.ts";
export { SlicedCounts, type SlicedCountsOptions } from "./tokens/pool/sliced-counts.ts";
export type { CountedText, CountRule, TextCounts } from "./tokens/pool/text-counts.ts";
export type { TextCacheStatistics } from "./tokens/text-cache.ts";
export { TiktokenCounter } from "./tokens/tiktoken-counter.ts";
export type { TokenCounter } from "./tokens/token-counter.ts";
export type { ToolChoice } from "./tokens/tool-choice.ts";
export { warmCounter } from "./tokens/warm-counter.ts";
