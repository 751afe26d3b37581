import type { Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";
import { minFrameTokens, settleFrame } from "./fold-middle.ts";

export interface ShortenTailOptions {
  readonly scope?: "all" | "plain" | "assistant-spans";
  readonly replace: "digest" | "summary" | "nothing";
  readonly maxFrameTokens?: number;
}

/**
 * For when keeping both ends did not fit: folds on, oldest first, until the budget holds; then instructions from the
 * middle of the conversation; then the frame itself becomes smaller.
 *
 * @example const strategy = shortenTail({ replace: "digest", maxFrameTokens: 800 });
 */
export function shortenTail(options: ShortenTailOptions): Strategy {
  return function shorten(draft, goal) {
    if (draft.total <= goal.budget) return;
    const { atoms, holds } = draft.view;
    let span = draft.openSpans.at(-1)?.index;
    const started = span === undefined;
    span ??= draft.openSpan(options.replace === "summary" ? "summary" : "digest");
    for (const level of [hold.free, hold.late]) {
      for (let atom = draft.view.start; atom < atoms.length && draft.total > goal.budget; atom++) {
        if (holds[atom] !== level) continue;
        if (options.scope === "plain" && atoms[atom]!.kind === "exchange") continue;
        if (options.scope === "assistant-spans" && atoms[atom]!.kind === "user") continue;
        draft.fold(atom, span);
      }
    }
    if (started && options.replace !== "nothing") {
      settleFrame(draft, span, Math.min(options.maxFrameTokens ?? Number.POSITIVE_INFINITY, goal.budget - draft.total));
    }
    for (const { index, frame } of draft.openSpans) {
      const over = draft.total - goal.budget;
      if (over <= 0) return;
      draft.setFrame(index, frame - over >= minFrameTokens ? frame - over : 0);
    }
  };
}
