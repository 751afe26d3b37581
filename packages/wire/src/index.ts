export { createGeminiCount } from "./count/gemini-count.ts";
export type { CountRequest, ProviderAccess, ProviderCount, ProviderCountOptions } from "./count/provider-count.ts";
export { type AskServer, askRealWindows } from "./models/ask-real-windows.ts";
export { decodeModelList } from "./models/decode-model-list.ts";
export { detectOverflow } from "./overflow/detect-overflow.ts";
export type { FailureText, Overflow } from "./overflow/overflow.ts";
export { type OverflowSizes, overflowSentence } from "./overflow/overflow-sentence.ts";
export { sessionOf } from "./protocols/anthropic-messages/decode-request.ts";
export { isSyntheticThinking } from "./protocols/anthropic-messages/synthetic-signature.ts";
export { decodeErrorObject, decodeFailure } from "./protocols/decode-failure.ts";
export { isOverflow, sizesOf } from "./protocols/error-sizes.ts";
export type {
  AppliedEdit,
  ContextEdit,
  Effort,
  NeutralRequest,
  NeutralTool,
  ReasoningRequest,
  ResponseFormat,
} from "./protocols/neutral-request.ts";
export type { FinishReason, NeutralResponse, Usage } from "./protocols/neutral-response.ts";
export { type CompactionReply, encodeCompaction } from "./protocols/openai-responses/compaction.ts";
export type {
  BodyAccess,
  ClientTool,
  EncodedError,
  EncodedRequest,
  Failure,
  ModelEntry,
  ModelPage,
  Protocol,
  ProtocolName,
  Reply,
  StreamDecoder,
  StreamEncoder,
  ToolNames,
} from "./protocols/protocol.ts";
export { protocols } from "./protocols/protocols.ts";
export type { StreamEvent } from "./protocols/stream-event.ts";
export { createSseParser, type SseParser, type SseParserOptions } from "./sse/create-sse-parser.ts";
export { encodeSse, encodeSseData, sseComment, sseHeaders } from "./sse/encode-sse.ts";
export type { SseEvent } from "./sse/sse-event.ts";
export { createModelSummarizer, type ModelSummarizerOptions } from "./summarize/model-summarizer.ts";
export { traitsOf, upstreamTraits } from "./traits/traits-of.ts";
export type { ProviderKind, UpstreamTraits } from "./traits/upstream-traits.ts";
export {
  applyContextEdits,
  type ContextEditOptions,
  type ContextEditResult,
  clearedResult,
} from "./translate/apply-context-edits.ts";
export { type ClampMaxOutputOptions, clampMaxOutput } from "./translate/clamp-max-output.ts";
export { createResponseCollector, type ResponseCollector } from "./translate/collect-response.ts";
export { dropBeforeCompaction } from "./translate/drop-before-compaction.ts";
export { replayResponse } from "./translate/replay-response.ts";
export { openSummary, sealPrefix, sealSummary } from "./translate/sealed-summary.ts";
export {
  createBodyCollector,
  createReplyTranslator,
  createStreamTranslator,
  type ReplyTranslationOptions,
  type ReplyTranslator,
  streamResponse,
  translateResponse,
} from "./translate/translate-reply.ts";
export { type AnswerBody, bodyOf } from "./upstream/answer-body.ts";
export { type CircuitBreakerOptions, createCircuitBreaker } from "./upstream/circuit-breaker.ts";
export { isForbiddenAddress, namesItsAddress } from "./upstream/forbidden-address.ts";
export { type ProtocolPaths, protocolPaths } from "./upstream/protocol-paths.ts";
export { decodeText, readRejection, readText, redactedExcerpt, redactSecrets } from "./upstream/read-rejection.ts";
export { defaultRetryPolicy, type RetryPolicy, readRetryAfter } from "./upstream/retry-policy.ts";
export {
  type Deadlines,
  defaultDeadlines,
  defaultUpstreamLimits,
  type RequestBody,
  type Upstream,
  type UpstreamLimits,
  type UpstreamRequest,
  type UpstreamResponse,
} from "./upstream/upstream.ts";
export {
  type AttemptEvent,
  createUpstreamClient,
  type UpstreamClient,
  type UpstreamClientOptions,
} from "./upstream/upstream-client.ts";
export { forwardableHeaders } from "./upstream/upstream-headers.ts";
