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
export type { TokenCounter } from "./tokens/token-counter.ts";
