import type { TokenCounter } from "@midfold/core";

/**
 * A counter whose counts are multiplied by what providers billed for each counted token so far. Nothing is counted twice:
 * the inner counter keeps its memory.
 */
export function calibratedCounter(inner: TokenCounter, ratio: number, errorBound: number): TokenCounter {
  const scale = (tokens: number) => Math.ceil(tokens * ratio);
  return {
    name: inner.name,
    exact: false,
    errorBound,
    count: (text) => scale(inner.count(text)),
    countMessage: (message) => scale(inner.countMessage(message)),
    countMessages: (messages) => {
      // At least the sum of the single messages, each of which is rounded up.
      let tokens = scale(inner.countMessages([]));
      for (const message of messages) tokens += scale(inner.countMessage(message));
      return tokens;
    },
    countTools: (tools) => scale(inner.countTools(tools)),
    take: (text, maxTokens) => inner.take(text, Math.floor(maxTokens / ratio)),
    takeLast: (text, maxTokens) => inner.takeLast(text, Math.floor(maxTokens / ratio)),
  };
}
