export {
  arbitraryConversation,
  arbitraryWireConversation,
  type NeutralOptions,
  type WireConversation,
  writeWire,
} from "./generate/arbitrary-conversation.ts";
export { arbitraryDraft } from "./generate/arbitrary-draft.ts";
export type {
  ConversationOptions,
  HardSwitches,
  MalformedSwitches,
  Switches,
} from "./generate/conversation-options.ts";
export { malformed } from "./generate/conversation-options.ts";
export type * from "./generate/draft.ts";
export { drawPng } from "./generate/draw-png.ts";
export { draftFromPattern, fromPattern, type PatternLetter, type PatternOptions } from "./generate/from-pattern.ts";
export { type LongConversationOptions, longConversation, longDraft } from "./generate/long-conversation.ts";
export { createRandom, type Random } from "./generate/random.ts";
export { isSealedThought, sealThought, signThought } from "./generate/sign-thought.ts";
export { toAiSdk } from "./generate/to-ai-sdk.ts";
export { type AnthropicConversation, toAnthropicMessages } from "./generate/to-anthropic-messages.ts";
export { type MessageShape, type ToMessagesOptions, toMessages } from "./generate/to-messages.ts";
export { toOpenaiChat, type WireObject } from "./generate/to-openai-chat.ts";
export { type ResponsesConversation, toOpenaiResponses } from "./generate/to-openai-responses.ts";
export { type PatternDecision, type PatternRange, toPattern } from "./generate/to-pattern.ts";
export { type TextKind, textKinds, type WriteTextOptions, writeText } from "./generate/write-text.ts";
export { anthropicProtocol } from "./simulate/anthropic/anthropic-protocol.ts";
export { chatProtocol } from "./simulate/chat/chat-protocol.ts";
export { countText } from "./simulate/count-text.ts";
export type { Fault } from "./simulate/fault.ts";
export { type OverflowFlavour, overflowFlavours } from "./simulate/overflow-flavours.ts";
export type { Problem } from "./simulate/problem.ts";
export type { Protocol, RequestView } from "./simulate/protocol.ts";
export type { CallQuirk, RawReply, Reply, ReplyCall, ReplyUsage, StreamManner } from "./simulate/reply.ts";
export { responsesProtocol } from "./simulate/responses/responses-protocol.ts";
export type {
  RecordedConnection,
  RecordedRequest,
  RequestOutcome,
  Script,
  SimulatedProtocol,
  Simulator,
  SimulatorCounts,
  SimulatorOptions,
} from "./simulate/simulator.ts";
export { startSimulator } from "./simulate/start-simulator.ts";
export { createToolLoop, type ToolLoop, type ToolLoopOptions } from "./simulate/tool-loop.ts";
export { lastUserText, newResults, type Turn, type TurnMessage } from "./simulate/turn.ts";
export { validateWire } from "./simulate/validate-wire.ts";
