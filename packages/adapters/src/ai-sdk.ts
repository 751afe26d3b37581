import type { LanguageModelMiddleware, ModelMessage } from "ai";
import { createFoldRequest, type MidfoldOptions } from "./fold-request.ts";

export type { MidfoldOptions } from "./fold-request.ts";

/**
 * Middleware for `wrapLanguageModel`: every call of the model fits its window, whoever makes it.
 *
 * @example const model = wrapLanguageModel({ model: openai("gpt-4o"), middleware: midfold() });
 */
export function midfold(options: MidfoldOptions = {}): LanguageModelMiddleware {
  const foldRequest = createFoldRequest(options);
  return {
    specificationVersion: "v4",
    transformParams: async ({ params, model }) => {
      const { messages, changed } = await foldRequest(params.prompt, {
        model: model.modelId,
        tools: params.tools,
        maxOutputTokens: params.maxOutputTokens,
        signal: params.abortSignal,
      });
      return changed ? { ...params, prompt: messages } : params;
    },
  };
}

/** What `prepareStep` of `generateText`, `streamText` and agents is called with, as far as it matters here. */
export interface Step {
  readonly model: string | { readonly modelId: string };
  readonly messages: ModelMessage[];
  readonly instructions?: unknown;
}

/**
 * A `prepareStep`: each step of an agent loop starts with messages that fit. Give `tools` as an option of this function if
 * they are large, since a step does not say which tools it has; the middleware sees them by itself.
 *
 * @example await generateText({ model: openai("gpt-4o"), messages, prepareStep: prepareStep() });
 */
export function prepareStep({
  tools,
  ...options
}: MidfoldOptions & { readonly tools?: Parameters<ReturnType<typeof createFoldRequest>>[1]["tools"] } = {}): (
  step: Step,
) => Promise<{ messages: ModelMessage[] }> {
  const foldRequest = createFoldRequest(options);
  return async ({ model, messages, instructions }) => {
    const folded = await foldRequest(messages, {
      model: typeof model === "string" ? model : model.modelId,
      system: typeof instructions === "string" ? instructions : undefined,
      tools,
    });
    return { messages: folded.messages };
  };
}
