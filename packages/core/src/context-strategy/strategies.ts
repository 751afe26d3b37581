import { presets } from "../presets/presets.ts";
import { PresetStrategy, type PresetStrategyOptions } from "./preset-strategy.ts";

export interface SandwichOptions extends PresetStrategyOptions {
  readonly preserveTop?: number;
  readonly preserveBottom?: number;
  readonly compressionThreshold?: number;
}

/** R3's default: the beginning and the end stay, the middle becomes one summary. */
export function sandwichStrategy(options: SandwichOptions): PresetStrategy {
  const { preserveTop = 5, preserveBottom = 5, compressionThreshold = 0.7 } = options;
  const preset = {
    ...presets.sandwich,
    trigger: compressionThreshold,
    minMessages: preserveTop + preserveBottom,
    head: { messages: preserveTop, firm: true },
    tail: { messages: preserveBottom, firm: true },
  };
  return new PresetStrategy(preset, compressionThreshold, options);
}

export interface SlidingOptions extends PresetStrategyOptions {
  readonly keepLast?: number;
  readonly compressionThreshold?: number;
}

/** R3's sliding window: only the last messages stay. */
export function slidingWindowStrategy({
  keepLast = 20,
  compressionThreshold = 0.7,
  ...options
}: SlidingOptions): PresetStrategy {
  const preset = {
    ...presets.sandwich,
    name: "sliding-window",
    trigger: compressionThreshold,
    minMessages: keepLast,
    head: {},
    tail: { messages: keepLast, firm: true },
    replace: "nothing",
  } as const;
  return new PresetStrategy(preset, compressionThreshold, options);
}

/** R3's full history: never compresses. */
export function fullHistoryStrategy(options: PresetStrategyOptions): PresetStrategy {
  return new PresetStrategy(presets["full-history"], 1, options);
}

export interface TreeOptions extends SandwichOptions {
  readonly chunkSize?: number;
  readonly levels?: number;
}

/** R3's tree summarization: chunks are summarized, then the summaries, level by level. */
export function treeSummaryStrategy({ chunkSize = 20, levels = 3, ...options }: TreeOptions): PresetStrategy {
  const { preserveTop = 5, preserveBottom = 5, compressionThreshold = 0.7 } = options;
  const preset = {
    ...presets.sandwich,
    name: "tree-summary",
    trigger: compressionThreshold,
    head: { messages: preserveTop, firm: true },
    tail: { messages: preserveBottom, firm: true },
    tree: { chunkMessages: chunkSize, levels },
  };
  return new PresetStrategy(preset, compressionThreshold, options);
}
