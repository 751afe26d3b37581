export type { ErrorCode } from "./errors/catalogue.ts";
export { errorCatalogue } from "./errors/catalogue.ts";
export type { MidfoldErrorOptions } from "./errors/midfold-error.ts";
export { isMidfoldError, MidfoldError } from "./errors/midfold-error.ts";
export type { Warn, Warning, WarningCode } from "./errors/warning.ts";
export type { DecodeOptions, Format, FormatName, FormatTraits } from "./formats/format.ts";
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
export type { Summarizer, SummaryRequest, SummaryResult } from "./summary/summarizer.ts";
export { ApproximateCounter, type ApproximateCounterOptions } from "./tokens/approximate-counter.ts";
export type { EncodingName } from "./tokens/encoding/encoding.ts";
export type { ChatOverhead, TokenFamily } from "./tokens/families/family.ts";
export { findFamily } from "./tokens/families/find-family.ts";
export { FamilyCounter } from "./tokens/family-counter.ts";
export { getCounter } from "./tokens/get-counter.ts";
export type { TextCacheStatistics } from "./tokens/text-cache.ts";
export { TiktokenCounter } from "./tokens/tiktoken-counter.ts";
export type { TokenCounter } from "./tokens/token-counter.ts";
