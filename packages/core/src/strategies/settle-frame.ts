import type { Draft } from "../plan/draft.ts";

/** A frame smaller than this says nothing worth its tokens. */
export const minFrameTokens = 160;

/** Gives a span the largest frame that is allowed and clearly smaller than what it stands for, or none. */
export function settleFrame(draft: Draft, span: number, allowed: number): void {
  const { tokens } = draft.openSpans[span]!;
  const frame = Math.min(allowed, Math.floor(tokens * 0.6));
  draft.setFrame(span, frame < minFrameTokens ? 0 : frame);
}
