/**
 * `fold` without its tables: 50 kB gzipped. Give a counter of your own and no model by name, and no table is ever loaded;
 * name a model, and its tables are loaded when they are needed. What writes the note (25 kB) is loaded by the first
 * conversation that no longer fits, the search for excerpts (14 kB) by the first one that has room for them.
 *
 * @example
 * const { messages } = await fold(chat, { window: 8_000, counter: (text) => Math.ceil(text.length / 3) });
 */
export { isMidfoldError, MidfoldError } from "./errors/midfold-error.ts";
export { fold } from "./fold/fold.ts";
export type { FoldOptions, FoldOutcome, FoldResult, FoldTokens } from "./fold/fold-options.ts";
export { memoryCache } from "./fold/memory-cache.ts";
export type { FoldCache, FoldRecord } from "./plan/fold-record.ts";
export { presets } from "./presets/presets.ts";
export type { TokenCounter } from "./tokens/token-counter.ts";
