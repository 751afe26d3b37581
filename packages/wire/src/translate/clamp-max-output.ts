export interface ClampMaxOutputOptions {
  readonly requested: number | undefined;
  /** The most the model can write. */
  readonly modelMax?: number | undefined;
  readonly window: number;
  readonly inputTokens: number;
  /** Kept free for what counting may have missed. */
  readonly margin: number;
}

/** The largest answer that may be asked for: as requested, but never more than the model or the window allows. */
export function clampMaxOutput(options: ClampMaxOutputOptions): number | undefined {
  const { requested, modelMax, window, inputTokens, margin } = options;
  if (requested === undefined) return undefined;
  return Math.max(1, Math.min(requested, modelMax ?? requested, window - inputTokens - margin));
}
