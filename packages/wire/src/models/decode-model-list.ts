import { isJsonObject, numberField, textField } from "../neutral/json-object.ts";
import type { ModelEntry } from "../neutral/protocol.ts";

/**
 * A server's own list of models, in any of the shapes in use: OpenAI's `data`, Anthropic's, OpenRouter's with the limits
 * of the endpoint that really serves, vLLM's `max_model_len`, LM Studio's loaded length.
 */
export function decodeModelList(body: unknown): ModelEntry[] {
  const list = Array.isArray(body) ? body : isJsonObject(body) ? (body.data ?? body.models) : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => {
    const id = isJsonObject(entry) ? (textField(entry.id) ?? textField(entry.name)) : undefined;
    if (!isJsonObject(entry) || id === undefined) return [];
    const provider = isJsonObject(entry.top_provider) ? entry.top_provider : {};
    const window = smallest([
      entry.loaded_context_length,
      provider.context_length,
      entry.context_length ?? entry.context_window ?? entry.max_context_length,
      entry.max_model_len,
      entry.max_input_tokens,
    ]);
    const maxOutput = smallest([provider.max_completion_tokens, entry.max_output_tokens, entry.max_tokens]);
    const displayName = textField(entry.display_name) ?? textField(entry.name);
    const modalities = isJsonObject(entry.architecture) ? entry.architecture.input_modalities : undefined;
    return [
      {
        id,
        ...(displayName === undefined ? {} : { displayName }),
        ...(window === undefined ? {} : { contextWindow: window }),
        ...(maxOutput === undefined ? {} : { maxOutputTokens: maxOutput }),
        ...(Array.isArray(modalities) ? { seesImages: modalities.includes("image") } : {}),
      },
    ];
  });
}

/** Where several limits are stated, the smallest is the one that will be enforced. */
function smallest(values: readonly unknown[]): number | undefined {
  const stated = values.map(numberField).filter((value): value is number => value !== undefined && value >= 256);
  return stated.length === 0 ? undefined : Math.min(...stated);
}
