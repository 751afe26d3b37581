import type { ReadOptions } from "../sql/database.ts";

/** A stored fold, found again by the hash of the messages it covers. */
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
  /** Of the folds stored for these prefixes, the one that covers the most messages. */
  find(prefixes: readonly string[]): Promise<StoredFold | undefined>;
  /** Stores a fold unless the prefix has one, and returns the stored one, so that all replicas use the same. */
  put(fold: { readonly prefix: string; readonly covered: number; readonly record: unknown }): Promise<StoredFold>;
  /**
   * As `put`, batched with what others store in the next milliseconds, for a prefix that nobody else can store.
   * Resolves when it is stored; a crash before that loses it.
   */
  putSoon(fold: { readonly prefix: string; readonly covered: number; readonly record: unknown }): Promise<void>;
  /** Deletes folds that were not used since then (milliseconds since 1970). Returns how many. */
  prune(unusedSince: number): Promise<number>;
}

/** A limit an upstream revealed by refusing a request. */
export interface LearnedLimit {
  readonly upstream: string;
  readonly model: string;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Where it was learned, for people to read: the words of an error, a model list. */
  readonly evidence: string;
  readonly learnedAt: number;
}

export interface Limits {
  list(options?: ReadOptions): Promise<readonly LearnedLimit[]>;
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
  list(): Promise<readonly Calibration[]>;
  put(calibration: Omit<Calibration, "updatedAt">): Promise<void>;
}
