export { hostileBodies, longBodies } from "./attack/hostile-bodies.ts";
export { oddRequests } from "./attack/odd-requests.ts";

export { arbitraryWireConversation } from "./generate/arbitrary-conversation.ts";

export type * from "./generate/draft.ts";

export { fromPattern } from "./generate/from-pattern.ts";
export { longConversation, longDraft } from "./generate/long-conversation.ts";

export { toAiSdk } from "./generate/to-ai-sdk.ts";
export { toAnthropicMessages } from "./generate/to-anthropic-messages.ts";

export { toOpenaiChat } from "./generate/to-openai-chat.ts";

export { toPattern } from "./generate/to-pattern.ts";
export { type TextKind, writeText } from "./generate/write-text.ts";

export { countText } from "./simulate/count-text.ts";
export type { Fault } from "./simulate/fault.ts";
export { readRecorded } from "./simulate/recorded.ts";
export type {
  Script,
  SimulatedProtocol,
  Simulator,
  SimulatorOptions,
} from "./simulate/simulator.ts";
export { type Ollama, startOllama } from "./simulate/start-ollama.ts";
export { startSimulator } from "./simulate/start-simulator.ts";
export { createToolLoop } from "./simulate/tool-loop.ts";
export { lastUserText, type Turn } from "./simulate/turn.ts";
export { validateWire } from "./simulate/validate-wire.ts";
