import { modelFacts } from "./model-facts.ts";
import type { ModelInfo, ModelOverrides } from "./model-info.ts";
import { resolveModel } from "./resolve-model.ts";

/**
 * The limits of every model with a row of its own, sorted by provider and name.
 *
 * @example supportedModels().filter(({ provider }) => provider === "anthropic");
 */
export function supportedModels(overrides: ModelOverrides = {}): ModelInfo[] {
  const names = new Set([...Object.keys(modelFacts), ...Object.keys(overrides).filter((name) => !name.endsWith("*"))]);
  return [...names]
    .map((name) => resolveModel(name, { overrides }))
    .filter((info) => info.known)
    .sort((a, b) => compare(a.provider ?? "", b.provider ?? "") || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
