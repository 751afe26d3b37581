import type { Preset } from "@midfold/core";

export interface RequestSize {
  readonly bytes: number;
  /** Whether its bytes bound its tokens. */
  readonly bounded: boolean;
}

/**
 * Whether a request fits without being counted: a token is at least one byte, so as many bytes as the budget has tokens
 * always fit. Holds for text; requests that refer to pictures or files are counted.
 */
export function isProvablySmall(size: RequestSize, preset: Preset, window: number, budget: number): boolean {
  // Rules that look at single results or at numbers of messages must see the request, however small it is.
  if (preset.trigger !== undefined || !size.bounded) return false;
  const resultLimit = preset.clipNewResults === undefined ? budget : preset.clipNewResults * window;
  return size.bytes <= Math.min(budget, resultLimit);
}
