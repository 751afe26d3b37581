import type { Strategy } from "../plan/draft.ts";
import { foldMiddle } from "./fold-middle.ts";

export interface SlidingWindowOptions {
  /** How many messages stay. */
  readonly messages?: number;
}

/**
 * Only the newest messages stay, in whole atoms, besides what must stay anyway.
 *
 * @example
 * await fold(messages, { rungs: [{ name: "window", rule: "the last 20", strategy: slidingWindow({ messages: 20 }) }] });
 */
export function slidingWindow({ messages = 20 }: SlidingWindowOptions = {}): Strategy {
  return foldMiddle({ head: {}, tail: { messages, firm: true }, replace: "nothing" });
}
