/** How large a request may be: the formulas of the presets, and triggers. */
export {
  type ChatBudget,
  type ChatBudgetOptions,
  chatBudget,
  defaultMarginShare,
  defaultMinimumTokens,
  needsChatFold,
  thresholdFor,
} from "./budget/chat-budget.ts";
export {
  defaultSafetyTokens,
  fallbackReserveShare,
  maxReserveShare,
  type OutputReserveOptions,
  outputReserve,
} from "./budget/output-reserve.ts";
export { type RequestBudget, type RequestBudgetOptions, requestBudget } from "./budget/request-budget.ts";
export { needsSandwich, type SandwichTriggerOptions } from "./budget/sandwich-trigger.ts";
export {
  defaultCompactTrigger,
  exceededTrigger,
  parseTrigger,
  type Trigger,
  type TriggerInput,
  type TriggerKind,
} from "./budget/trigger.ts";
export { type ColdFoldOptions, needsFoldWhileCold } from "./fold/low-water.ts";
export { approximateFactor } from "./tokens/approximate-counter.ts";
