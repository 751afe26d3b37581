import type { ModelOverrides } from "./model-info.ts";

/** One row of a requirement document's model table, in the document's own numbers. */
export interface DocumentModel {
  readonly model: string;
  readonly provider: string;
  readonly window: number;
  readonly maxOutput?: number;
  /** The document's "tokenization method". */
  readonly tokenizer?: string;
}

/** Each document by the preset that follows it. */
export type DocumentName = "chat" | "agent" | "sandwich";

const row = (provider: string, model: string, window: number, maxOutput?: number, tokenizer?: string) => ({
  model,
  provider,
  window,
  ...(maxOutput === undefined ? {} : { maxOutput }),
  ...(tokenizer === undefined ? {} : { tokenizer }),
});

/**
 * The tables as written. They contradict each other (gpt-4 is 32K for `chat` and 8K for `agent`), so the registry does not read
 * them; whoever wants a document to the letter passes `documentOverrides(…)` as overrides.
 */
export const documentTables: Readonly<Record<DocumentName, readonly DocumentModel[]>> = {
  chat: [
    row("openai", "gpt-4o", 128_000, 16_384, "o200k_base"),
    row("openai", "gpt-4-turbo", 128_000, 4_096, "cl100k_base"),
    row("openai", "gpt-4", 32_768, 8_192, "cl100k_base"),
    row("openai", "gpt-3.5-turbo", 16_385, 4_096, "cl100k_base"),
    row("anthropic", "claude-sonnet-4-5", 1_000_000, 64_000, "anthropic"),
    row("anthropic", "claude-3-5-sonnet", 200_000, 8_192, "anthropic"),
    row("anthropic", "claude-3-opus", 200_000, 4_096, "anthropic"),
    row("anthropic", "claude-3-haiku", 200_000, 4_096, "anthropic"),
    row("google", "gemini-2.5-pro", 1_000_000, 64_000, "gemini"),
    row("google", "gemini-2.5-flash", 1_000_000, 64_000, "gemini"),
    row("azure", "azure/gpt-4o", 128_000, 16_384, "o200k_base"),
    row("azure", "azure/gpt-4-turbo", 128_000, 4_096, "cl100k_base"),
    row("azure", "azure/gpt-4", 32_768, 8_192, "cl100k_base"),
    row("azure", "azure/gpt-35-turbo", 16_385, 4_096, "cl100k_base"),
  ],
  agent: [
    row("anthropic", "claude-3-opus", 200_000, 4_096),
    row("anthropic", "claude-3-sonnet", 200_000, 4_096),
    row("anthropic", "claude-3-haiku", 200_000, 4_096),
    row("openai", "gpt-4-turbo", 128_000, 4_096),
    row("openai", "gpt-4", 8_192, 4_096),
    row("openai", "gpt-3.5-turbo", 16_385, 4_096),
    row("meta", "llama-3-70b", 8_192, 4_096),
    row("mistral", "mistral-large", 32_000, 4_096),
  ],
  sandwich: [
    row("anthropic", "claude-3-5-sonnet", 200_000),
    row("anthropic", "claude-3-opus", 200_000),
    row("openai", "gpt-4-turbo", 128_000),
    row("openai", "gpt-4o", 128_000),
    row("google", "gemini-pro", 32_000),
  ],
};

/**
 * A document's table in the form `resolveModel` takes.
 *
 * @example resolveModel("gpt-4o", { overrides: documentOverrides("agent") }).window;
 */
export function documentOverrides(document: DocumentName): ModelOverrides {
  return Object.fromEntries(documentTables[document].map(({ model, tokenizer: _, ...facts }) => [model, facts]));
}
