/** United States dollars per million tokens; absent where unknown. */
export interface ModelPrices {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** How the model's text is counted. `tokens/families` decides; this only repeats it for tables and logs. */
export interface ModelCounting {
  readonly family: string;
  /** The token table that is, or comes nearest to, the model's own. */
  readonly encoding?: string;
  /** Whether the provider would count the same. */
  readonly exact: boolean;
}

/** What the engine needs to know about one model: limits, counting rules and prices. */
export interface ModelInfo {
  /** The bare name in lower case, without provider prefix or variant suffix. */
  readonly id: string;
  readonly provider?: string;
  /** Input and output together, in tokens. */
  readonly window: number;
  readonly maxOutput: number;
  /** Set where the provider caps the input below the window. */
  readonly maxInput?: number;
  readonly counting: ModelCounting;
  /** Thinks before it answers, out of the same output limit, unless told how little. */
  readonly thinks: boolean;
  /** Share of the window at which folding starts by default. */
  readonly threshold: number;
  /** Tokens of newest messages kept by default. */
  readonly retentionTokens: number;
  readonly prices: ModelPrices;
  /** False when the window is a guess. */
  readonly known: boolean;
}

/** What a user may state about a model; anything left out comes from the registry. */
export interface ModelOverride {
  readonly window?: number;
  readonly maxOutput?: number;
  readonly maxInput?: number;
  /** Another model whose counting rules apply, for a deployment whose name says nothing. */
  readonly countAs?: string;
  readonly threshold?: number;
  readonly retentionTokens?: number;
  readonly prices?: ModelPrices;
  readonly provider?: string;
}

/** Overrides by model name. A name may end in `*`; an exact name beats a pattern, a longer pattern a shorter one. */
export type ModelOverrides = Readonly<Record<string, ModelOverride>>;
