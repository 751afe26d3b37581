/**
 * What the bundled price data does not say (output limits, input caps) or says wrongly for our purpose. Every model
 * that `documentTables` names is here. Where documents or vendors disagree the smaller window stands, because a window that
 * is too large is an overflow: see `docs/decisions/model-windows.md`.
 */
export interface ModelFacts {
  readonly provider: string;
  readonly window?: number;
  readonly maxOutput: number;
  readonly maxInput?: number;
}

const openai = (maxOutput: number, window?: number, maxInput?: number) => row("openai", maxOutput, window, maxInput);
const anthropic = (maxOutput: number, window = 200_000) => row("anthropic", maxOutput, window);
const google = (maxOutput: number, window: number, maxInput?: number) => row("google", maxOutput, window, maxInput);

function row(provider: string, maxOutput: number, window?: number, maxInput?: number): ModelFacts {
  return {
    provider,
    maxOutput,
    ...(window === undefined ? {} : { window }),
    ...(maxInput === undefined ? {} : { maxInput }),
  };
}

export const modelFacts: Readonly<Record<string, ModelFacts>> = {
  "gpt-4o": openai(16_384, 128_000),
  "gpt-4o-mini": openai(16_384, 128_000),
  "chatgpt-4o": openai(16_384, 128_000),
  "gpt-4-turbo": openai(4_096, 128_000),
  "gpt-4-1106": openai(4_096, 128_000),
  "gpt-4-0125": openai(4_096, 128_000),
  "gpt-4-vision": openai(4_096, 128_000),
  "gpt-4": openai(8_192, 8_192),
  "gpt-4-32k": openai(8_192, 32_768),
  "gpt-3.5-turbo": openai(4_096, 16_385),
  "gpt-35-turbo": openai(4_096, 16_385),
  "gpt-4.1": openai(32_768, 1_047_576),
  "gpt-4.1-mini": openai(32_768, 1_047_576),
  "gpt-4.1-nano": openai(32_768, 1_047_576),
  "gpt-5": openai(128_000, 400_000, 272_000),
  "gpt-5-mini": openai(128_000, 400_000, 272_000),
  "gpt-5-nano": openai(128_000, 400_000, 272_000),
  "gpt-5-codex": openai(128_000, 400_000, 272_000),
  "gpt-5-chat": openai(16_384, 128_000),
  "gpt-5-pro": openai(272_000, 400_000),
  "gpt-6": openai(128_000),
  "gpt-oss": openai(32_768, 131_072),
  o1: openai(100_000, 200_000),
  "o1-mini": openai(65_536, 128_000),
  "o1-preview": openai(32_768, 128_000),
  o3: openai(100_000, 200_000),
  "o3-mini": openai(100_000, 200_000),
  "o4-mini": openai(100_000, 200_000),

  "claude-2": anthropic(4_096, 100_000),
  "claude-2.1": anthropic(4_096),
  "claude-3-opus": anthropic(4_096),
  "claude-3-sonnet": anthropic(4_096),
  "claude-3-haiku": anthropic(4_096),
  "claude-3-5-sonnet": anthropic(8_192),
  "claude-3-5-haiku": anthropic(8_192),
  "claude-3-7-sonnet": anthropic(64_000),
  "claude-sonnet-4": anthropic(64_000),
  "claude-sonnet-4-0": anthropic(64_000),
  "claude-sonnet-4-5": anthropic(64_000),
  "claude-opus-4": anthropic(32_000),
  "claude-opus-4-0": anthropic(32_000),
  "claude-opus-4-1": anthropic(32_000),
  "claude-opus-4-5": anthropic(64_000),
  "claude-haiku-4-5": anthropic(64_000),
  "claude-sonnet-4-6": anthropic(64_000, 1_000_000),
  "claude-opus-4-6": anthropic(128_000, 1_000_000),
  "claude-sonnet": row("anthropic", 64_000),
  "claude-opus": row("anthropic", 128_000),
  "claude-fable": row("anthropic", 128_000),

  "gemini-pro": google(2_048, 32_000, 30_720),
  "gemini-1.0-pro": google(2_048, 32_000, 30_720),
  "gemini-1.5-pro": google(8_192, 1_000_000),
  "gemini-1.5-flash": google(8_192, 1_000_000),
  "gemini-2.0-flash": google(8_192, 1_000_000),
  "gemini-2.0-flash-lite": google(8_192, 1_000_000),
  "gemini-2.5-pro": google(65_536, 1_048_576),
  "gemini-2.5-flash": google(65_536, 1_048_576),
  "gemini-2.5-flash-lite": google(65_536, 1_000_000),
  "gemini-3-pro": google(65_536, 1_000_000),
  "gemini-3.1-pro": google(65_536, 1_000_000),
  gemini: row("google", 65_536),

  "llama-2": row("meta", 2_048, 4_096),
  llama2: row("meta", 2_048, 4_096),
  "llama-3": row("meta", 4_096, 8_192),
  llama3: row("meta", 4_096, 8_192),
  "meta-llama-3": row("meta", 4_096, 8_192),
  "llama-3.1": row("meta", 8_192, 131_072),
  "llama3.1": row("meta", 8_192, 131_072),
  "meta-llama-3.1": row("meta", 8_192, 131_072),
  "llama-3.2": row("meta", 8_192, 131_072),
  "llama3.2": row("meta", 8_192, 131_072),
  "llama-3.3": row("meta", 8_192, 131_072),
  "llama3.3": row("meta", 8_192, 131_072),
  "mistral-large": row("mistral", 4_096, 32_000),
  "mistral-large-2407": row("mistral", 8_192, 128_000),
  "mistral-large-2411": row("mistral", 8_192, 128_000),
  "mistral-large-latest": row("mistral", 8_192, 128_000),
  "mistral-large-2512": row("mistral", 8_192, 262_144),
  "mistral-7b": row("mistral", 4_096, 32_768),
  "mistral-small": row("mistral", 8_192, 32_000),
  "mistral-nemo": row("mistral", 8_192, 128_000),
  "mixtral-8x7b": row("mistral", 4_096, 32_768),
  "deepseek-chat": row("deepseek", 8_192, 128_000),
  "deepseek-reasoner": row("deepseek", 64_000, 128_000),
  "kimi-k2": row("moonshotai", 16_384, 131_072),
  "glm-4.6": row("zai", 65_536, 200_000),
  "qwen3-coder": row("qwen", 65_536, 262_144),
  "qwen-2.5": row("qwen", 8_192, 32_768),
  "qwen2.5": row("qwen", 8_192, 32_768),
  "grok-4": row("x-ai", 32_768, 256_000),
};

/** A small number right after the name starts another generation, not another edition or size. */
const otherGeneration = /^-\d{1,2}(?![\dbk])/;

/** By `ModelName.keys`, where dots are dashes. */
const byKey: ReadonlyMap<string, ModelFacts> = new Map(
  Object.entries(modelFacts).map(([name, facts]) => [name.replaceAll(".", "-"), facts]),
);

export interface FoundFacts {
  readonly facts: ModelFacts;
  /** False when the row is about a relative: its limits on output carry over, its window does not. */
  readonly same: boolean;
}

/** The row for the first of these keys that has one; else the nearest row whose name the key continues. */
export function findModelFacts(keys: readonly string[]): FoundFacts | undefined {
  for (const key of keys) {
    const facts = byKey.get(key);
    if (facts !== undefined) return { facts, same: true };
  }
  let relative: FoundFacts | undefined;
  const key = keys.at(-1) ?? "";
  for (let end = key.lastIndexOf("-"); end > 0; end = key.lastIndexOf("-", end - 1)) {
    const facts = byKey.get(key.slice(0, end));
    if (facts === undefined) continue;
    if (!otherGeneration.test(key.slice(end))) return { facts, same: relative === undefined };
    relative = { facts, same: false };
  }
  return relative;
}
