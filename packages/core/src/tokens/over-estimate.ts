import { estimateText } from "./estimate-text.ts";

/** A text longer than this is not even looked at: every UTF-16 unit is at most three bytes, every token at least one. */
const looked = 2_000_000;

/**
 * More tokens than the text has, without a table: for ASCII twice the estimate, which no text measured comes near; for
 * the rest its bytes, which no byte-level table can exceed.
 */
export function overEstimate(text: string): number {
  if (text.length > looked) return overEstimate(text.slice(0, looked)) + (text.length - looked) * 3;
  let wideBytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) wideBytes += unit < 0x800 ? 2 : 3;
  }
  if (wideBytes === 0) return Math.min(text.length, Math.ceil(estimateText(text) * 2));
  return Math.min(text.length + wideBytes, Math.ceil(estimateText(text) * 2) + wideBytes);
}
