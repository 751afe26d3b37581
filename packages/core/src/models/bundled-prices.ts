import { calcPrice, type ModelPrice } from "@pydantic/genai-prices";
import type { ModelPrices } from "./model-info.ts";
import type { ModelName } from "./model-name.ts";

export interface BundledModel {
  readonly provider: string;
  readonly window?: number;
  readonly prices: ModelPrices;
}

/** Prices may change by date; a fixed date keeps lookups pure. Move it when the package is updated. */
const priceDate = new Date("2026-11-01T00:00:00Z");

/** Looks a name up in the bundled price data, asking the most outward provider first. */
export function bundledModel(name: ModelName): BundledModel | undefined {
  let found: BundledModel | undefined;
  for (const [provider, id] of spellings(name)) {
    const match = lookUp(id, provider);
    if (match === undefined) continue;
    // The outer provider sets the price; when it does not state a window, the model's maker does.
    found = found === undefined ? match : { ...found, ...(match.window === undefined ? {} : { window: match.window }) };
    if (found.window !== undefined) return found;
  }
  return found;
}

function* spellings(name: ModelName): Generator<readonly [string | undefined, string]> {
  for (let depth = 0; depth < name.providers.length; depth++) {
    const provider = name.providers[depth];
    yield [provider, [...name.providers.slice(depth + 1), name.bare].join("/")];
  }
  if (name.providers.length > 0) yield ["openrouter", [...name.providers.slice(-1), name.bare].join("/")];
  yield [undefined, name.bare];
  for (const key of name.keys) yield [undefined, key];
}

function lookUp(id: string, provider: string | undefined): BundledModel | undefined {
  if (id === "") return undefined;
  const result = calcPrice({}, id, {
    timestamp: priceDate,
    ...(provider === undefined ? {} : { providerId: provider }),
  });
  if (result === null) return undefined;
  const window = result.model.context_window;
  return {
    provider: result.provider.id,
    ...(window === undefined ? {} : { window }),
    prices: pricesOf(result.model_price),
  };
}

function pricesOf(price: ModelPrice): ModelPrices {
  const base = (key: string) => {
    const value = price[key];
    return typeof value === "object" ? value.base : value;
  };
  const entries = [
    ["input", base("input_mtok")],
    ["output", base("output_mtok")],
    ["cacheRead", base("cache_read_mtok")],
    ["cacheWrite", base("cache_write_mtok")],
  ] as const;
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
