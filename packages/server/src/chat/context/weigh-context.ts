import type { TokenCounter } from "@midfold/core";
import { ApproximateCounter } from "@midfold/core/tokens";
import type { Chat } from "../chat.ts";
import { type BuiltContext, type ContextEntry, withExcerpts } from "./build-context.ts";

/** Tokens of a request, entry by entry. */
export interface ContextWeights {
  readonly entries: readonly number[];
  readonly tools: number;
  /** The whole request, with the overhead that belongs to no entry. */
  readonly total: number;
  /** Whether the provider would count the same. */
  readonly exact: boolean;
  readonly counter: string;
}

export interface WeighOptions {
  readonly counter: TokenCounter;
  readonly log: Chat["log"];
}

/** Counts a request. A counter that fails is replaced by an approximate one, and the counts are no longer exact. */
export function weighContext(context: BuiltContext, { counter, log }: WeighOptions): ContextWeights {
  try {
    return weigh(context, counter, counter.exact);
  } catch (error) {
    log.error({ err: error, counter: counter.name }, "token counting failed; counting approximately");
    return weigh(context, new ApproximateCounter(), false);
  }
}

function weigh(context: BuiltContext, counter: TokenCounter, exact: boolean): ContextWeights {
  const tools = context.tools.length === 0 ? 0 : counter.countTools(context.tools);
  return {
    entries: context.entries.map((entry, at) => weighEntry(entry, context.entries[at + 1], counter)),
    tools,
    total: (context.messages.length === 0 ? 0 : counter.countMessages(context.messages)) + tools,
    exact,
    counter: counter.name,
  };
}

/** Excerpts weigh what they add to the message they are sent with. */
function weighEntry({ kind, message }: ContextEntry, next: ContextEntry | undefined, counter: TokenCounter): number {
  if (kind !== "recalled" || next === undefined) return counter.countMessage(message);
  return Math.max(0, counter.countMessage(withExcerpts(next.message, message)) - counter.countMessage(next.message));
}

/** Tokens of the history: the summary, what follows it, and what was recalled for that. */
export function historyTokens(context: BuiltContext, weights: ContextWeights): number {
  const kinds = ["summary", "recalled", "recent"] as const;
  return kinds.reduce((sum, kind) => sum + tokensOf(context, weights, kind), 0);
}

/** Tokens of all entries of one kind. */
export function tokensOf(context: BuiltContext, weights: ContextWeights, kind: ContextEntry["kind"]): number {
  return context.entries.reduce((sum, entry, i) => (entry.kind === kind ? sum + (weights.entries[i] ?? 0) : sum), 0);
}
