export { createGeminiCount } from "./count/gemini-count.ts";
export type { ProviderAccess, ProviderCount } from "./count/provider-count.ts";
export { askRealWindows, type RealModel } from "./models/ask-real-windows.ts";
export { decodeModelList } from "./models/decode-model-list.ts";
export type {
  AppliedEdit,
  NeutralRequest,
} from "./neutral/neutral-request.ts";
export type { FinishReason, NeutralResponse, Usage } from "./neutral/neutral-response.ts";
export type {
  EncodedRequest,
  ModelEntry,
  Protocol,
  ProtocolName,
  ReplyContext,
  StreamDecoder,
  StreamEncoder,
} from "./neutral/protocol.ts";
export type { StreamEvent } from "./neutral/stream-event.ts";
export type { UpstreamTraits } from "./neutral/upstream-traits.ts";
export { isSyntheticThinking } from "./protocols/anthropic-messages/synthetic-signature.ts";
export { encodeCompaction } from "./protocols/openai-responses/compaction.ts";
export { protocols } from "./protocols/protocols.ts";
export { createSseParser } from "./sse/create-sse-parser.ts";
export { sseHeaders } from "./sse/encode-sse.ts";
export { createModelSummarizer } from "./summarize/model-summarizer.ts";
export { type ProviderKind, providerKinds, traitsOf, upstreamTraits } from "./traits/traits-of.ts";
export { applyContextEdits } from "./translate/apply-context-edits.ts";

export { dropBeforeCompaction } from "./translate/drop-before-compaction.ts";
export { replayResponse } from "./translate/replay-response.ts";
export { sealPrefix, sealSummary } from "./translate/sealed-summary.ts";
export {
  createBodyCollector,
  createReplyTranslator,
  type ReplyTranslationOptions,
  streamAnswer,
  translateAnswer,
} from "./translate/translate-reply.ts";
export { bodyOf } from "./upstream/answer-body.ts";

export { namesItsAddress } from "./upstream/forbidden-address.ts";
export { protocolPaths } from "./upstream/protocol-paths.ts";
export { decodeText, readText } from "./upstream/read-text.ts";

export type {
  Deadlines,
  RequestBody,
  Upstream,
  UpstreamRequest,
  UpstreamResponse,
} from "./upstream/upstream.ts";
export {
  createUpstreamClient,
  type UpstreamClient,
} from "./upstream/upstream-client.ts";
export { forwardableHeaders } from "./upstream/upstream-headers.ts";
