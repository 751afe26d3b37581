import type { TextRule } from "./families/family.ts";
import { scaleCount } from "./families/scale-count.ts";

/** A longer text is not looked at in full: a UTF-16 unit is at most three bytes. */
const looked = 4_000_000;

/**
 * A number of tokens that no byte-level table can exceed, without counting: the bytes of the text, since a token is at
 * least one. About four times the real count of English prose; used only where there is no time to count. With a family's
 * `rule`, what that family would make of so many tokens.
 *
 * @example overEstimate("Hello"); // 5
 */
export function overEstimate(text: string, rule?: TextRule): number {
  let bytes = 0;
  const stop = Math.min(text.length, looked);
  for (let at = 0; at < stop; at++) {
    const unit = text.charCodeAt(at);
    // Half of a pair is half of four bytes; alone it becomes U+FFFD, three.
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  const unseen = (text.length - stop) * 3;
  if (rule === undefined) return bytes + unseen;
  const most = Math.max(1, rule.latin, rule.ideographs, rule.otherScripts, rule.rareScripts);
  return scaleCount(text.slice(0, stop), bytes, rule) + Math.ceil(unseen * most);
}
