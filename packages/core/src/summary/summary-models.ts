/** The model that writes summaries, by the provider whose conversation it is. Configurable. */
const summaryModels: Readonly<Record<string, string>> = {
  openai: "gpt-4o-mini",
  azure: "gpt-4o-mini",
  anthropic: "claude-3-haiku-20240307",
  google: "gemini-2.5-flash",
};

/**
 * Undefined for a provider without a proposal: the conversation's own model then writes its summary.
 *
 * @example const model = defaultSummaryModel("anthropic") ?? "the model of the conversation";
 */
export function defaultSummaryModel(provider: string): string | undefined {
  return Object.hasOwn(summaryModels, provider) ? summaryModels[provider] : undefined;
}
