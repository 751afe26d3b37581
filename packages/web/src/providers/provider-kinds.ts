import type { Provider } from "../api/types.gen.ts";

export type ProviderKind = Provider["kind"];

interface KindWords {
  readonly label: string;
  /** What one needs to use it. */
  readonly needs: string;
  readonly local?: true;
}

/** In the order people look for them. */
export const kindWords: Readonly<Record<ProviderKind, KindWords>> = {
  ollama: { label: "Ollama", needs: "Runs on your machine: ollama serve", local: true },
  openai: { label: "OpenAI", needs: "A key from platform.openai.com" },
  anthropic: { label: "Anthropic", needs: "A key from console.anthropic.com" },
  gemini: { label: "Google Gemini", needs: "A key from aistudio.google.com" },
  openrouter: { label: "OpenRouter", needs: "A key from openrouter.ai" },
  lmstudio: { label: "LM Studio", needs: "Runs on your machine: start its server", local: true },
  vllm: { label: "vLLM", needs: "Runs on your machine or network", local: true },
  deepseek: { label: "DeepSeek", needs: "A key from platform.deepseek.com" },
  mistral: { label: "Mistral", needs: "A key from console.mistral.ai" },
  azure: { label: "Azure OpenAI", needs: "Your resource’s address and key" },
  generic: {
    label: "Any compatible server",
    needs: "llama.cpp, LiteLLM and others that speak OpenAI’s API",
    local: true,
  },
};

export const labelOf = (kind: ProviderKind): string => kindWords[kind].label;
