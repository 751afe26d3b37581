import { calcPrice, type ModelPrice } from "@pydantic/genai-prices";
import { MidfoldError } from "../errors/midfold-error.ts";
import type { Warn } from "../errors/warning.ts";
import { findFamily } from "../tokens/families/find-family.ts";
import { findModelFacts } from "./model-facts.ts";
import type { ModelCounting, ModelInfo, ModelOverride, ModelOverrides, ModelPrices } from "./model-info.ts";
import { type ModelName, parseModelName } from "./model-name.ts";
import { unknownMaxOutput, unknownWindow } from "./unknown-model.ts";

export interface ResolveModelOptions {
  readonly overrides?: ModelOverrides;
  /** Told `unknown-model` when the window is a guess. */
  readonly warn?: Warn;
}

/** The share of the window at which a chat is summarized, and how many of its newest tokens stay word for word. */
export const defaultThreshold = 0.95;
export const defaultRetentionTokens = 1_000;

export { unknownWindow };

/** Windows of models not listed yet whose maker's other current models all have at least this much. */
const makerWindows: readonly (readonly [RegExp, number])[] = [
  [/^(gpt-|o\d)/, 128_000],
  [/^claude/, 200_000],
  [/^gemini/, 128_000],
];

/** Makers whose models think without being asked. Claude is not here: it thinks only when the request says so. */
const thinkers =
  /^(o\d|gpt-oss|gpt-[5-9](?!.*chat)|gemini-(2\.5|[3-9])|deepseek-(reasoner|r\d)|grok-(3-mini|[4-9])|qwq|magistral|glm-(4\.[5-9]|[5-9])|.*thinking)/;

const free: ModelPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * Everything known about a model, under any of its spellings. Order of trust: the caller's override, a window stated in
 * the name, the hand-written table, the bundled price data, the maker's smallest current model, `unknownWindow`.
 *
 * @example resolveModel("gpt-4o").window; // 128000
 */
export function resolveModel(name: string, options: ResolveModelOptions = {}): ModelInfo {
  let model = options.overrides === undefined ? resolved.get(name) : undefined;
  if (model === undefined) {
    model = lookUp(name, options.overrides);
    if (resolved.size >= mostResolved) resolved.clear();
    if (options.overrides === undefined) resolved.set(name, model);
  }
  if (!model.known) {
    options.warn?.({
      code: "unknown-model",
      message: `The context window of "${name}" is not known; assuming ${model.window} tokens. Pass \`window\`, or name it under \`models:\` in midfold.yaml.`,
      details: { model: name, window: model.window },
    });
  }
  return model;
}

/** The same few models are asked for again and again; names come from strangers, so only so many are kept. */
const resolved = new Map<string, ModelInfo>();
const mostResolved = 500;

function lookUp(name: string, overrides: ModelOverrides | undefined): ModelInfo {
  const parsed = parseModelName(name);
  const override = findOverride(parsed, overrides);
  const found = findModelFacts(parsed.keys);
  const bundled = bundledModel(parsed);

  const listed = found?.same ? found.facts.window : undefined;
  const certain = override.window ?? parsed.statedWindow ?? listed ?? bundled?.window;
  const window = certain ?? makerWindows.find(([maker]) => maker.test(parsed.bare))?.[1] ?? unknownWindow;
  const maxOutput = override.maxOutput ?? found?.facts.maxOutput ?? unknownMaxOutput(window);
  // An input cap belongs to the window it was stated with.
  const maxInput =
    override.maxInput ?? (override.window === undefined && found?.same ? found.facts.maxInput : undefined);
  const provider = override.provider ?? bundled?.provider ?? found?.facts.provider ?? parsed.providers.at(-1);

  return {
    id: parsed.bare,
    ...(provider === undefined ? {} : { provider }),
    window,
    maxOutput: Math.min(maxOutput, window),
    ...(maxInput === undefined ? {} : { maxInput: Math.min(maxInput, window) }),
    counting: countingOf(override.countAs ?? parsed.full),
    thinks: thinkers.test(parsed.bare),
    threshold: override.threshold ?? defaultThreshold,
    retentionTokens: override.retentionTokens ?? defaultRetentionTokens,
    prices: { ...(parsed.variant === "free" ? free : bundled?.prices), ...override.prices },
    known: certain !== undefined,
  };
}

function countingOf(name: string): ModelCounting {
  const family = findFamily(name);
  if (family === undefined) return { family: "approximate", exact: false };
  return { family: family.name, encoding: family.encoding, exact: family.text === undefined };
}

function findOverride(name: ModelName, overrides: ModelOverrides | undefined): ModelOverride {
  if (overrides === undefined) return {};
  const names = [name.full, name.bare, ...name.keys];
  let best: { readonly rank: number; readonly key: string } | undefined;
  for (const key of Object.keys(overrides)) {
    const rank = rankOverride(key, names);
    if (rank > (best?.rank ?? 0)) best = { rank, key };
  }
  if (best === undefined) return {};
  const override = overrides[best.key] as ModelOverride;
  assertOverride(best.key, override);
  return override;
}

/** 0: no match. A whole name beats any pattern, and the fuller spelling the shorter one. */
function rankOverride(key: string, names: readonly string[]): number {
  const pattern = key.trim().toLowerCase();
  if (pattern.endsWith("*")) {
    const start = pattern.slice(0, -1);
    return names.some((name) => name.startsWith(start)) ? 1 + start.length : 0;
  }
  const dashed = pattern.replaceAll(/[._]/g, "-");
  const at = names.findIndex((name) => name === pattern || name === dashed);
  return at === -1 ? 0 : 1_000_000 - at;
}

function assertOverride(key: string, override: ModelOverride): void {
  for (const field of ["window", "maxOutput", "maxInput", "retentionTokens"] as const) {
    const value = override[field];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new MidfoldError("VALIDATION_ERROR", `Model override "${key}": ${field} must be a positive whole number.`);
    }
  }
  const { threshold } = override;
  if (threshold !== undefined && !(threshold > 0 && threshold <= 1)) {
    throw new MidfoldError("VALIDATION_ERROR", `Model override "${key}": threshold must be above 0 and at most 1.`);
  }
}

interface BundledModel {
  readonly provider: string;
  readonly window?: number;
  readonly prices: ModelPrices;
}

/** Prices may change by date; a fixed date keeps lookups pure. Move it when the package is updated. */
const priceDate = new Date("2026-11-01T00:00:00Z");

/** Looks a name up in the bundled price data, asking the most outward provider first. */
function bundledModel(name: ModelName): BundledModel | undefined {
  let found: BundledModel | undefined;
  for (const [provider, id] of spellings(name)) {
    const match = findBundled(id, provider);
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

function findBundled(id: string, provider: string | undefined): BundledModel | undefined {
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
