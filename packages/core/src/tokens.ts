/** Token counters, calibration and counting in the background. */
export { ApproximateCounter, type ApproximateCounterOptions } from "./tokens/approximate-counter.ts";
export { CalibratedCounter, type CalibratedCounterOptions } from "./tokens/calibration/calibrated-counter.ts";
export type { Calibration, CalibrationLimits, CalibrationStore } from "./tokens/calibration/calibration.ts";
export { Calibrations, type CalibrationsOptions } from "./tokens/calibration/calibrations.ts";
export { type CountTokensOptions, countTokens } from "./tokens/count-tokens.ts";
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
