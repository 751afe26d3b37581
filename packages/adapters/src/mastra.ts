import type { Processor } from "@mastra/core/processors";
import { createFoldRequest, type MidfoldOptions } from "./fold-request.ts";

export type { MidfoldOptions } from "./fold-request.ts";

/** An input processor that Mastra asks before each call of the model. */
export type MidfoldProcessor = Processor<"midfold"> & Required<Pick<Processor<"midfold">, "processLLMRequest">>;

/**
 * An input processor: the prompt of every step fits the model's window. What memory and storage hold stays whole, since only
 * the prompt on its way out is folded.
 *
 * @example new Agent({ id: "helper", name: "Helper", instructions, model, inputProcessors: [midfold()] });
 */
export function midfold(options: MidfoldOptions = {}): MidfoldProcessor {
  const foldRequest = createFoldRequest(options);
  return {
    id: "midfold",
    processLLMRequest: async ({ prompt, model, abortSignal }) => {
      const { messages, changed } = await foldRequest(prompt, { model: model.modelId, signal: abortSignal });
      return changed ? { prompt: messages } : undefined;
    },
  };
}
