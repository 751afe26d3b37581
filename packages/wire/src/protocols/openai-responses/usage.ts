import type { ResponseUsage } from "openai/resources/responses/responses";
import { compact, isJsonObject } from "../../neutral/json-object.ts";
import type { Usage } from "../../neutral/neutral-response.ts";
import { countField } from "../count-field.ts";

export function decodeUsage(usage: unknown): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const inputTokens = countField(usage.input_tokens);
  const outputTokens = countField(usage.output_tokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const read = isJsonObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const written = isJsonObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return compact({
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cacheReadTokens: countField(read.cached_tokens),
    cacheWriteTokens: countField(read.cache_write_tokens),
    reasoningTokens: countField(written.reasoning_tokens),
  });
}

export function encodeUsage(usage: Usage): ResponseUsage {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
