import type { CompletionUsage } from "openai/resources/completions";
import { compact, isJsonObject } from "../../neutral/json-object.ts";
import type { Usage } from "../../neutral/neutral-response.ts";
import { countField } from "../count-field.ts";

/** Usage in any of the spellings of OpenAI-compatible servers; undefined when there is none. */
export function decodeUsage(usage: unknown): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const inputTokens = countField(usage.prompt_tokens);
  const outputTokens = countField(usage.completion_tokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const written = isJsonObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return compact({
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cacheReadTokens:
      countField(details.cached_tokens) ?? countField(usage.prompt_cache_hit_tokens) ?? countField(usage.cached_tokens),
    cacheWriteTokens: countField(details.cache_write_tokens) ?? countField(usage.cache_creation_input_tokens),
    reasoningTokens: countField(written.reasoning_tokens),
  });
}

export function encodeUsage(usage: Usage): CompletionUsage {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}
