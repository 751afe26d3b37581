// What answers at once and therefore brings the rank tables and prices with it.
export { type FoldSyncOptions, foldSync } from "./fold/fold-sync.ts";
export { planOnly as plan } from "./fold/plan-only.ts";
export { type ResolveModelOptions, resolveModel } from "./models/resolve-model.ts";
export { supportedModels } from "./models/supported-models.ts";
export { type CountTokensOptions, countTokens } from "./tokens/count-tokens.ts";
export { getCounter } from "./tokens/get-counter.ts";
export { warmCounter } from "./tokens/warm-counter.ts";
