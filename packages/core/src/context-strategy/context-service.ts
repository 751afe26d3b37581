import type { Summarizer } from "../summary/summarizer.ts";
import type { ContextStates } from "./context-state.ts";
import type { ContextResult, ContextStrategy } from "./context-strategy.ts";

export interface ContextServiceOptions {
  readonly strategy: ContextStrategy;
  readonly states: ContextStates;
  /** Writes the summaries; without one the built-in digest does. */
  readonly model?: Summarizer;
}

/** Builds the context of a conversation and remembers its summary between calls. */
export interface ContextService {
  buildContext<Wire>(
    conversationId: string,
    messages: readonly Wire[],
    maxContextTokens: number,
  ): Promise<ContextResult<Wire>>;
  /** To be called when a conversation is deleted. */
  forget(conversationId: string): Promise<void>;
}

/**
 * A strategy together with a store for its states. A summary is stored when one is made, used while it fits the range,
 * cleared when it comes from another strategy, and left as it was when the model fails.
 *
 * @example const service = createContextService({ strategy: sandwichStrategy(), states });
 */
export function createContextService({ strategy, states, model }: ContextServiceOptions): ContextService {
  return {
    async buildContext(conversationId, messages, maxContextTokens) {
      const stored = await states.get(conversationId);
      const isOurs = stored?.strategy === strategy.name;
      if (stored !== undefined && !isOurs) await states.clear(conversationId);
      const cached = isOurs ? stored : undefined;
      const result =
        model === undefined
          ? strategy.buildContext(messages, cached, maxContextTokens)
          : await strategy.buildContextWith(model, messages, cached, maxContextTokens);
      if (result.newState !== undefined) await states.put(conversationId, result.newState);
      return result;
    },
    forget: (conversationId) => states.clear(conversationId),
  };
}
