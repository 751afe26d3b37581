/** The interfaces that the requirement documents name, over the same engine. */
export { ContextBudget, type ContextBudgetOptions } from "./budget/context-budget.ts";
export { ContextLimits, type ContextLimitsOptions, defaultReservedTokens } from "./budget/context-limits.ts";
export { ContextTracker, type ContextTrackerOptions } from "./budget/context-tracker.ts";
export { ToolResultCompactor, type ToolResultCompactorOptions } from "./clip/tool-result-compactor.ts";
export { compact, compactPreset } from "./compact/compact.ts";
export { type CompactConfig, compactDefaults, parseCompactConfig } from "./compact/compact-config.ts";
export { ContextCompactor, type ContextCompactorOptions } from "./context-manager/context-compactor.ts";
export { ContextManager, type ContextManagerOptions, type ContextSnapshot } from "./context-manager/context-manager.ts";
export { TruncationMode } from "./context-manager/truncation-mode.ts";
export {
  CompositeStrategy,
  SelectiveTruncationStrategy,
  SlidingWindowStrategy,
  SmartTruncationStrategy,
  TokenBudgetStrategy,
  type TruncationStrategy,
} from "./context-manager/truncation-strategy.ts";
export {
  type ContextService,
  type ContextServiceOptions,
  createContextService,
} from "./context-strategy/context-service.ts";
export { type ContextState, type ContextStates, isStateValid } from "./context-strategy/context-state.ts";
export type { ContextResult, ContextStrategy } from "./context-strategy/context-strategy.ts";
export type { ContextStrategyOptions } from "./context-strategy/ends-strategy.ts";
export {
  fullHistoryStrategy,
  sandwichStrategy,
  slidingWindowStrategy,
  treeSummaryStrategy,
} from "./context-strategy/strategies.ts";
