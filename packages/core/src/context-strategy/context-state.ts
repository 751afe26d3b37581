/** A summary of the middle that can be used again. Produced by a strategy, stored by whoever owns the conversation. */
export interface ContextState {
  /** The strategy that made it. */
  readonly strategy: string;
  readonly summary: string;
  /** Message indices the summary covers: the first included, the last not. */
  readonly summaryRange: readonly [number, number];
  /** Milliseconds since 1970, UTC. */
  readonly compressedAt: number;
}

export interface StateUse {
  readonly strategy: string;
  readonly preserveTop: number;
  readonly preserveBottom: number;
  readonly messageCount: number;
}

/**
 * Whether a stored summary may be used: it starts after the top messages, ends before
 * the bottom ones, and was made by the same strategy.
 *
 * @example isStateValid(state, { strategy: "sandwich", preserveTop: 5, preserveBottom: 10, messageCount: 40 });
 */
export function isStateValid(state: ContextState | undefined, use: StateUse): state is ContextState {
  if (state === undefined || state.strategy !== use.strategy) return false;
  return state.summaryRange[0] === use.preserveTop && state.summaryRange[1] === use.messageCount - use.preserveBottom;
}

/** Where states live between calls: `contextStates` of `@midfold/store` is one. */
export interface ContextStates {
  get(conversationId: string): Promise<ContextState | undefined>;
  put(conversationId: string, state: ContextState): Promise<void>;
  clear(conversationId: string): Promise<void>;
}
