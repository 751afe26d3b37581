import { assertWhole } from "../errors/assert-number.ts";
import { type ContextStrategyOptions, EndsStrategy } from "./ends-strategy.ts";

export interface SandwichOptions extends ContextStrategyOptions {
  readonly preserveTop?: number;
  readonly preserveBottom?: number;
  readonly compressionThreshold?: number;
}

/**
 * The beginning and the end stay, the middle becomes one summary.
 *
 * @example const strategy = sandwichStrategy({ preserveTop: 5, preserveBottom: 10 });
 */
export function sandwichStrategy(options: SandwichOptions = {}): EndsStrategy {
  const { preserveTop = 5, preserveBottom = 5, compressionThreshold = 0.7 } = options;
  assertWhole("preserveTop", preserveTop, 0);
  assertWhole("preserveBottom", preserveBottom, 0);
  const ends = { name: "sandwich", preserveTop, preserveBottom, compressionThreshold, middle: "summary" } as const;
  return new EndsStrategy(ends, options);
}

export interface SlidingOptions extends ContextStrategyOptions {
  readonly keepLastN?: number;
  readonly compressionThreshold?: number;
}

/**
 * Only the last messages stay, and the system prompt before them.
 *
 * @example const strategy = slidingWindowStrategy({ keepLastN: 20 });
 */
export function slidingWindowStrategy(options: SlidingOptions = {}): EndsStrategy {
  const { keepLastN = 20, compressionThreshold = 0.7 } = options;
  assertWhole("keepLastN", keepLastN, 1);
  const ends = { name: "sliding-window", preserveTop: 0, preserveBottom: keepLastN, compressionThreshold } as const;
  return new EndsStrategy({ ...ends, middle: "nothing" }, options);
}

/**
 * Never folds, whatever the size.
 *
 * @example const strategy = fullHistoryStrategy({ counter: "gpt-4o" });
 */
export function fullHistoryStrategy(options: ContextStrategyOptions = {}): EndsStrategy {
  const ends = { name: "full-history", preserveTop: 0, preserveBottom: 0, compressionThreshold: 1 } as const;
  return new EndsStrategy({ ...ends, middle: "stays" }, options);
}

export interface TreeOptions extends SandwichOptions {
  readonly chunkSize?: number;
  readonly levels?: number;
}

/**
 * Chunks of the middle are summarized, then chunks of the summaries, level by level.
 *
 * @example const strategy = treeSummaryStrategy({ chunkSize: 10, levels: 2 });
 */
export function treeSummaryStrategy(options: TreeOptions = {}): EndsStrategy {
  const { preserveTop = 5, preserveBottom = 5, compressionThreshold = 0.7, chunkSize = 20, levels = 3 } = options;
  assertWhole("preserveTop", preserveTop, 0);
  assertWhole("preserveBottom", preserveBottom, 0);
  // Chunks of one text would never become fewer texts.
  assertWhole("chunkSize", chunkSize, 2);
  assertWhole("levels", levels, 1);
  const ends = { name: "tree-summary", preserveTop, preserveBottom, compressionThreshold, middle: "summary" } as const;
  return new EndsStrategy({ ...ends, tree: { chunkSize, levels } }, options);
}
