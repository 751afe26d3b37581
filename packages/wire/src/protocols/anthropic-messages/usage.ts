import { compact, isJsonObject } from "../../neutral/json-object.ts";
import type { Usage } from "../../neutral/neutral-response.ts";
import { countField } from "../count-field.ts";

/** Usage with the cached parts of the prompt added in; undefined when there is none. */
export function decodeUsage(usage: unknown): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const fresh = countField(usage.input_tokens);
  const outputTokens = countField(usage.output_tokens);
  if (fresh === undefined && outputTokens === undefined) return undefined;
  const read = countField(usage.cache_read_input_tokens);
  const written = countField(usage.cache_creation_input_tokens);
  return compact({
    inputTokens: (fresh ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: outputTokens ?? 0,
    cacheReadTokens: read,
    cacheWriteTokens: written,
  });
}

export function encodeUsage(usage: Usage) {
  const read = usage.cacheReadTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  return {
    input_tokens: Math.max(0, usage.inputTokens - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage.outputTokens,
  };
}
