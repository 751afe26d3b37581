import type { JsonObject } from "./json.ts";
import type { Problem } from "./problem.ts";
import type { Purpose } from "./protocol.ts";
import type { SimulatorOptions } from "./simulator.ts";

export function openaiModelPurpose(method: string, path: string): Purpose | undefined {
  if (method !== "GET") return undefined;
  return path === "/v1/models" ? "models" : path.startsWith("/v1/models/") ? "model" : undefined;
}

/** OpenAI itself tells no window; the compatible servers do, each in its own field. */
export function openaiModelBody(id: string, { window, flavour = "openai" }: SimulatorOptions): JsonObject {
  const model = { id, object: "model", created: 1_770_000_000, owned_by: "simulator" };
  if (window === undefined) return model;
  switch (flavour) {
    case "vllm":
    case "sglang":
      return { ...model, max_model_len: window };
    case "openrouter":
    case "openrouter-nested":
    case "openrouter-200":
      return {
        ...model,
        context_length: window,
        top_provider: { context_length: window, max_completion_tokens: null },
      };
    case "llama.cpp":
      return { ...model, meta: { n_ctx: window, n_ctx_train: window } };
    case "mistral":
      return { ...model, max_context_length: window };
    case "groq":
      return { ...model, context_window: window };
    default:
      return model;
  }
}

export const openaiModelList = (ids: readonly string[], options: SimulatorOptions): JsonObject => ({
  object: "list",
  data: ids.map((id) => openaiModelBody(id, options)),
});

export const openaiErrorBody = ({ message, type, param, code }: Problem): JsonObject => ({
  error: { message, type, param: param ?? null, code: code ?? null },
});
