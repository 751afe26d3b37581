/** A fold that was made once and is met again by the hash of what it covers. */
export interface StoredFold<TRecord = unknown> {
  /** Hash of the conversation prefix the fold covers. */
  readonly prefix: string;
  /** How many messages that prefix has. */
  readonly covered: number;
  readonly record: TRecord;
  readonly createdAt: number;
}

/** The fold cache. Never shared between owners. */
export interface Folds {
  /** Of these prefixes, the one with a fold that covers most. */
  find(prefixes: readonly string[]): Promise<StoredFold | undefined>;
  /** The first fold stored for a prefix stays: whoever comes second gets that one back, so that all replicas agree. */
  put(fold: { readonly prefix: string; readonly covered: number; readonly record: unknown }): Promise<StoredFold>;
  /**
   * As `put`, together with what others store in the next milliseconds, for a prefix that nobody else can store. Resolves
   * when it is stored: until then a crash loses it.
   */
  putSoon(fold: { readonly prefix: string; readonly covered: number; readonly record: unknown }): Promise<void>;
  remove(prefix: string): Promise<void>;
  /** Forgets folds not met since then (milliseconds since 1970). Returns how many. */
  prune(unusedSince: number): Promise<number>;
}

/** A limit an upstream revealed by refusing a request. */
export interface LearnedLimit {
  readonly upstream: string;
  readonly model: string;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Where it was learned, for people: an error's words, a model list. */
  readonly evidence: string;
  readonly learnedAt: number;
}

export interface Limits {
  get(upstream: string, model: string): Promise<LearnedLimit | undefined>;
  list(): Promise<readonly LearnedLimit[]>;
  put(limit: Omit<LearnedLimit, "learnedAt">): Promise<LearnedLimit>;
  remove(upstream: string, model: string): Promise<void>;
}

/** How far a local count is from what the provider billed, per model and counter. */
export interface Calibration {
  readonly model: string;
  readonly counter: string;
  readonly ratio: number;
  readonly samples: number;
  readonly updatedAt: number;
}

export interface Calibrations {
  get(model: string, counter: string): Promise<Calibration | undefined>;
  list(): Promise<readonly Calibration[]>;
  put(calibration: Omit<Calibration, "updatedAt">): Promise<void>;
}
