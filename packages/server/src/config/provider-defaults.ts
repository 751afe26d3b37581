import { createGeminiCount, type ProviderAccess, type ProviderCount } from "@midfold/wire";
import type { UpstreamConfig } from "./config.ts";

interface ProviderDefaults {
  readonly protocols: UpstreamConfig["protocols"];
  readonly baseUrl?: string;
  /** The header its key is sent in; `bearer` is `Authorization: Bearer`. */
  readonly auth: "bearer" | "x-api-key" | "api-key";
  /** Keys of this form are sent as bearer tokens instead. */
  readonly bearerKeys?: RegExp;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of models it usually serves. */
  readonly models?: readonly string[];
  /** Its own token count, where its protocols have no endpoint for that. */
  readonly counts?: (access: ProviderAccess) => ProviderCount;
}

/** What a provider's name implies. Base URLs of OpenAI-compatible servers end in /v1, Anthropic's does not. */
export const providerDefaults: Readonly<Record<UpstreamConfig["provider"], ProviderDefaults>> = {
  anthropic: {
    protocols: ["anthropic-messages"],
    baseUrl: "https://api.anthropic.com",
    auth: "x-api-key",
    bearerKeys: /^sk-ant-oat/,
    headers: { "anthropic-version": "2023-06-01" },
    models: ["claude-*"],
  },
  openai: {
    protocols: ["openai-chat", "openai-responses"],
    baseUrl: "https://api.openai.com/v1",
    auth: "bearer",
    models: ["gpt-*", "o1*", "o3*", "o4*", "chatgpt-*", "codex-*"],
  },
  azure: { protocols: ["openai-chat"], auth: "api-key" },
  openrouter: {
    protocols: ["openai-chat"],
    baseUrl: "https://openrouter.ai/api/v1",
    auth: "bearer",
    models: ["*/*"],
  },
  vllm: { protocols: ["openai-chat"], baseUrl: "http://127.0.0.1:8000/v1", auth: "bearer" },
  ollama: { protocols: ["openai-chat"], baseUrl: "http://127.0.0.1:11434/v1", auth: "bearer" },
  lmstudio: { protocols: ["openai-chat"], baseUrl: "http://127.0.0.1:1234/v1", auth: "bearer" },
  gemini: {
    protocols: ["openai-chat"],
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    auth: "bearer",
    models: ["gemini-*"],
    counts: createGeminiCount,
  },
  deepseek: {
    protocols: ["openai-chat"],
    baseUrl: "https://api.deepseek.com/v1",
    auth: "bearer",
    models: ["deepseek-*"],
  },
  mistral: {
    protocols: ["openai-chat"],
    baseUrl: "https://api.mistral.ai/v1",
    auth: "bearer",
    models: ["mistral-*", "codestral-*", "devstral-*"],
  },
  generic: { protocols: ["openai-chat"], auth: "bearer" },
  demo: { protocols: ["openai-chat"], baseUrl: "http://demo.invalid", auth: "bearer" },
};
