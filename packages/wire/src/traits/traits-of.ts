import type { Effort } from "../neutral/neutral-request.ts";
import type { UpstreamTraits } from "../neutral/upstream-traits.ts";

/** The kinds of servers a configuration can name. */
export const providerKinds = [
  "anthropic",
  "openai",
  "azure",
  "openrouter",
  "vllm",
  "ollama",
  "lmstudio",
  "gemini",
  "deepseek",
  "mistral",
  "generic",
] as const;
export type ProviderKind = (typeof providerKinds)[number];

const threeEfforts: readonly Effort[] = ["low", "medium", "high"];

/** What nearly every OpenAI-compatible server does; the table below says who differs. */
const generic: UpstreamTraits = {
  maxOutputField: "max_tokens",
  systemRole: "system",
  laterSystem: "system",
  reasoningField: "none",
  effortField: "none",
  efforts: threeEfforts,
  thinking: "adaptive",
  defaultMaxOutputTokens: 32_000,
  maxStops: 4,
  sampling: true,
  topK: false,
  parallelToolCalls: true,
  requiredToolChoice: true,
  toolId: { pattern: /^[A-Za-z0-9_-]+$/, length: 64 },
  toolName: { pattern: /^[A-Za-z0-9_-]+$/, length: 64 },
  maxToolCalls: 128,
  callProofs: true,
  images: true,
  toolImages: false,
  files: false,
  nullContent: true,
  streamUsage: true,
  responseFormat: "json-schema",
  userField: "user",
  cacheKeyField: "none",
  cacheMarks: false,
  schema: "full",
  continuesPrefill: false,
};

const openai: UpstreamTraits = {
  ...generic,
  callProofs: false,
  maxOutputField: "max_completion_tokens",
  systemRole: "developer",
  laterSystem: "developer",
  effortField: "reasoning_effort",
  efforts: ["none", "minimal", "low", "medium", "high", "xhigh"],
  files: true,
  userField: "safety_identifier",
  cacheKeyField: "prompt_cache_key",
};

/** What each kind of server wants differently, as data. */
export const upstreamTraits: Readonly<Record<ProviderKind, UpstreamTraits>> = {
  generic: { ...generic, windowPages: "llama.cpp" },
  openai,
  azure: { ...openai, userField: "user", cacheKeyField: "none" },
  anthropic: {
    ...generic,
    countAs: "claude-opus-5-5",
    // Only newer Claude models take system turns inside the conversation; words in a user turn work with all.
    laterSystem: "user",
    efforts: ["low", "medium", "high", "xhigh", "max"],
    maxStops: 8_191,
    topK: true,
    toolName: { pattern: /^[A-Za-z0-9_-]+$/, length: 128 },
    toolImages: true,
    files: true,
    userField: "user",
  },
  openrouter: {
    ...generic,
    reasoningField: "reasoning_details",
    effortField: "reasoning",
    efforts: ["none", "minimal", "low", "medium", "high", "xhigh"],
    topK: true,
    files: true,
    cacheMarks: true,
  },
  vllm: {
    ...generic,
    callProofs: false,
    reasoningField: "reasoning_content",
    effortField: "reasoning_effort",
    maxStops: 64,
    topK: true,
    continuesPrefill: true,
  },
  ollama: {
    ...generic,
    callProofs: false,
    windowPages: "ollama",
    reasoningField: "reasoning",
    effortField: "reasoning_effort",
    efforts: ["none", "low", "medium", "high"],
    parallelToolCalls: false,
    requiredToolChoice: false,
    nullContent: false,
    userField: "none",
  },
  lmstudio: {
    ...generic,
    callProofs: false,
    windowPages: "lm-studio",
    maxStops: 64,
    topK: true,
    parallelToolCalls: false,
    nullContent: false,
    userField: "none",
  },
  gemini: {
    ...generic,
    laterSystem: "user",
    effortField: "reasoning_effort",
    efforts: ["none", "minimal", "low", "medium", "high"],
    maxStops: 5,
    parallelToolCalls: false,
    nullContent: false,
    userField: "none",
    schema: "reduced",
  },
  deepseek: {
    ...generic,
    // On disk, for hours at least.
    cacheKeptMs: 6 * 3_600_000,
    callProofs: false,
    reasoningField: "reasoning_content",
    maxStops: 16,
    parallelToolCalls: false,
    images: false,
    responseFormat: "json-object",
    userField: "none",
  },
  mistral: {
    ...generic,
    callProofs: false,
    laterSystem: "user",
    toolId: { pattern: /^[A-Za-z0-9]{9}$/, length: 9 },
    userField: "none",
  },
};

/** The traits of a configured server, with what the configuration itself says differently. */
export function traitsOf(kind: ProviderKind, overrides: Partial<UpstreamTraits> = {}): UpstreamTraits {
  return { ...upstreamTraits[kind], ...overrides };
}
