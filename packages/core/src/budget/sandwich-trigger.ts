import { assertWindow } from "./assert-window.ts";

export interface SandwichTriggerOptions {
  readonly window: number;
  readonly tokens: number;
  readonly messages: number;
  readonly preserveTop?: number;
  readonly preserveBottom?: number;
  readonly threshold?: number;
}

/**
 * Whether the sandwich strategy folds: over 70 % of the window, and more messages than the two ends hold.
 *
 * @example needsSandwich({ window: 128_000, tokens: 100_000, messages: 60 }); // true
 */
export function needsSandwich(options: SandwichTriggerOptions): boolean {
  const { window, tokens, messages, preserveTop = 5, preserveBottom = 5, threshold = 0.7 } = options;
  assertWindow(window);
  return tokens > Math.floor(window * threshold) && messages > preserveTop + preserveBottom;
}
