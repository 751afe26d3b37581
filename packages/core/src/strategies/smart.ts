import type { Strategy } from "../plan/draft.ts";
import { foldMiddle } from "./fold-middle.ts";

export interface SmartOptions {
  readonly preserveFirst?: number;
  readonly preserveLast?: number;
}

/**
 * The first and last messages stay, the middle goes. Marked messages stay where they are.
 *
 * @example const strategy = smart({ preserveFirst: 2, preserveLast: 10 });
 */
export function smart({ preserveFirst = 2, preserveLast = 10 }: SmartOptions = {}): Strategy {
  return foldMiddle({
    head: { messages: preserveFirst, firm: true },
    tail: { messages: preserveLast, firm: true },
    replace: "nothing",
  });
}

export interface MiddleOutOptions {
  /** Share of the kept context that comes from the start of the conversation. */
  readonly headPercent?: number;
}

/**
 * Keeps a share of the start, as much of the end as fits, nothing between.
 *
 * @example const strategy = middleOut({ headPercent: 20 });
 */
export function middleOut({ headPercent = 20 }: MiddleOutOptions = {}): Strategy {
  return foldMiddle({ head: { percent: headPercent }, tail: { percent: 100 }, replace: "nothing" });
}
