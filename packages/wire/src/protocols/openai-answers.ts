import type { ModelEntry, Protocol } from "../neutral/protocol.ts";
import { sseComment } from "../sse/encode-sse.ts";
import { decodeFailure } from "./decode-failure.ts";
import { encodeOpenaiError, openaiOverflow } from "./openai-error.ts";

/** What Chat Completions and Responses answer alike. `param` is where the conversation lives. */
export function openaiAnswers(param: "messages" | "input") {
  return {
    keepAlive: sseComment,
    decodeError: decodeFailure,
    encodeError: (error, requestId) => encodeOpenaiError(error, requestId, param),
    overflowError: (sizes) => openaiOverflow(sizes, param),
    encodeModels: (models) => ({ object: "list", data: models.map(encodeModel) }),
    encodeModel,
    encodeTokenCount: (inputTokens) => ({ object: "response.input_tokens", input_tokens: inputTokens }),
  } satisfies Partial<Protocol>;
}

/** With the window in both fields that other servers add. */
function encodeModel(model: ModelEntry): unknown {
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
