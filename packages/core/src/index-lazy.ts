// What loads tables and prices only when they are needed, or never.
export type { Atom } from "./atoms/atom.ts";
export { errorCatalogue } from "./errors/catalogue.ts";
export type { ErrorCode } from "./errors/error-codes.ts";
export { isMidfoldError, MidfoldError, type MidfoldErrorOptions } from "./errors/midfold-error.ts";
export type { Warn, Warning, WarningCode } from "./errors/warning.ts";
export { fold } from "./fold/fold.ts";
export type {
  Clock,
  FoldOptions,
  FoldOutcome,
  FoldProgress,
  FoldResult,
  FoldTokens,
  PreviousSummary,
} from "./fold/fold-options.ts";
export { type MemoryCacheOptions, memoryCache } from "./fold/memory-cache.ts";
export { detectFormat } from "./formats/detect-format.ts";
export type { Format, FormatName } from "./formats/format.ts";
export { formats } from "./formats/formats.ts";
export { readTools, type ToolsInput } from "./formats/read-tools.ts";
export { type Message, type Role, type ToolDefinition, textOf } from "./message/message.ts";
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
export type { ModelCounting, ModelInfo, ModelOverride, ModelOverrides, ModelPrices } from "./models/model-info.ts";
export type { Rung } from "./plan/draft.ts";
export type { Edit, FoldCache, FoldRecord } from "./plan/fold-record.ts";
export type { Cut, Decision, Plan, PlanTokens, Reason, RungName, Span } from "./plan/plan.ts";
export type { Keep, Preset, PresetName } from "./presets/preset.ts";
export { presets } from "./presets/presets.ts";
export { recallTool } from "./recall/recall-tool.ts";
export type { LossReport } from "./summary/find-loss.ts";
export type { SummaryPolicy } from "./summary/run-summary.ts";
export type { SummarizeFunction, Summarizer, SummaryRequest, SummaryResult } from "./summary/summarizer.ts";
export type { SummaryPromptOptions } from "./summary/summary-prompt.ts";
export type { TokenCounter } from "./tokens/token-counter.ts";
export type { ToolChoice } from "./tokens/tool-choice.ts";
