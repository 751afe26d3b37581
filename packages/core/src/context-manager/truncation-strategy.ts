import { foldSync } from "../fold/fold-sync.ts";
import type { Strategy } from "../plan/draft.ts";
import { presets } from "../presets/presets.ts";
import { clipOversized } from "../strategies/clip-oversized.ts";
import { tokenBudget } from "../strategies/drop-oldest.ts";
import type { Rung } from "../strategies/rungs.ts";
import { type SelectiveOptions, selective } from "../strategies/selective.ts";
import { shortenTail } from "../strategies/shorten-tail.ts";
import { slidingWindow } from "../strategies/sliding-window.ts";
import { smart } from "../strategies/smart.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

/** R2 FR-3.1: one way of truncating a list of messages, in any known format, to a number of tokens. */
export interface TruncationStrategy {
  readonly rungs: readonly Rung[];
  /** Same format in and out. Throws CONTEXT_OVERFLOW when what must stay is larger than the target. */
  truncate<Wire>(messages: readonly Wire[], targetTokens: number, counter: TokenCounter): readonly Wire[];
}

/** R2's "aggressive truncation": what is tried when a strategy alone did not fit. */
const lastResort: readonly Rung[] = [
  { name: "shorten-tail", rule: "drop more of the recent messages", strategy: shortenTail({ replace: "nothing" }) },
  { name: "clip-oversized", rule: "clip the largest messages that are left", strategy: clipOversized() },
];

export class SlidingWindowStrategy implements TruncationStrategy {
  readonly windowSize: number;
  readonly rungs: readonly Rung[];

  constructor({ windowSize = 20 }: { readonly windowSize?: number } = {}) {
    this.windowSize = windowSize;
    this.rungs = [
      rung("sliding-window", `keep the last ${windowSize} messages`, slidingWindow({ messages: windowSize })),
    ];
  }

  truncate<Wire>(messages: readonly Wire[], targetTokens: number, counter: TokenCounter): readonly Wire[] {
    return truncate(this.rungs, messages, targetTokens, counter);
  }
}

export class TokenBudgetStrategy implements TruncationStrategy {
  readonly rungs: readonly Rung[] = [rung("token-budget", "drop the oldest messages", tokenBudget())];

  truncate<Wire>(messages: readonly Wire[], targetTokens: number, counter: TokenCounter): readonly Wire[] {
    return truncate(this.rungs, messages, targetTokens, counter);
  }
}

export class SmartTruncationStrategy implements TruncationStrategy {
  readonly preserveFirst: number;
  readonly preserveLast: number;
  readonly rungs: readonly Rung[];

  constructor({ preserveFirst = 2, preserveLast = 10 }: { preserveFirst?: number; preserveLast?: number } = {}) {
    this.preserveFirst = preserveFirst;
    this.preserveLast = preserveLast;
    const rule = `keep the first ${preserveFirst} and the last ${preserveLast} messages`;
    this.rungs = [rung("smart", rule, smart({ preserveFirst, preserveLast }))];
  }

  truncate<Wire>(messages: readonly Wire[], targetTokens: number, counter: TokenCounter): readonly Wire[] {
    return truncate(this.rungs, messages, targetTokens, counter);
  }
}

export class SelectiveTruncationStrategy implements TruncationStrategy {
  readonly rungs: readonly Rung[];

  constructor(options: SelectiveOptions = {}) {
    this.rungs = [rung("selective", "drop tool outputs, then messages of other roles", selective(options))];
  }

  truncate<Wire>(messages: readonly Wire[], targetTokens: number, counter: TokenCounter): readonly Wire[] {
    return truncate(this.rungs, messages, targetTokens, counter);
  }
}

/** Chains strategies: each acts only while the target is not met. */
export class CompositeStrategy implements TruncationStrategy {
  readonly rungs: readonly Rung[];

  constructor(strategies: readonly TruncationStrategy[]) {
    this.rungs = strategies.flatMap((strategy) => strategy.rungs);
  }

  truncate<Wire>(messages: readonly Wire[], targetTokens: number, counter: TokenCounter): readonly Wire[] {
    return truncate(this.rungs, messages, targetTokens, counter);
  }
}

/** The preset R2's strategies run under: no frames, no low-water mark below the target. */
export const truncationPreset = {
  ...presets.agent,
  name: "truncation",
  rungs: [],
  target: 1,
  replace: "nothing",
} as const;

export function withLastResort(rungs: readonly Rung[]): readonly Rung[] {
  return [...rungs, ...lastResort];
}

function truncate<Wire>(
  rungs: readonly Rung[],
  messages: readonly Wire[],
  targetTokens: number,
  counter: TokenCounter,
): readonly Wire[] {
  return foldSync(messages, {
    counter,
    budget: targetTokens,
    preset: truncationPreset,
    rungs: withLastResort(rungs),
    onInvalid: "skip",
  }).messages;
}

function rung(name: string, rule: string, strategy: Strategy): Rung {
  return { name, rule, strategy };
}
