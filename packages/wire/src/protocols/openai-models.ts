import type { ModelEntry } from "../neutral/protocol.ts";

/** A models list as OpenAI has it, with the window in both fields that other servers add. */
export function encodeOpenaiModels(models: readonly ModelEntry[]): unknown {
  return { object: "list", data: models.map(encodeOpenaiModel) };
}

export function encodeOpenaiModel(model: ModelEntry): unknown {
  return {
    id: model.id,
    object: "model",
    created: model.createdAt ?? 0,
    owned_by: model.ownedBy ?? "midfold",
    ...(model.contextWindow === undefined
      ? {}
      : { context_length: model.contextWindow, max_model_len: model.contextWindow }),
    ...(model.maxOutputTokens === undefined ? {} : { max_output_tokens: model.maxOutputTokens }),
  };
}
