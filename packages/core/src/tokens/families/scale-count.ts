import type { TextRule } from "./family.ts";

// How many tokens of o200k a UTF-16 unit of each kind is, on average over running text.
const perIdeograph = 0.8;
const perOtherUnit = 0.28;

/** What a family makes of a text that is `tokens` long in o200k. */
export function scaleCount(text: string, tokens: number, rule: TextRule): number {
  let digits = 0;
  let digitTokens = 0;
  let run = 0;
  let ideographs = 0;
  let others = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 48 && unit <= 57) {
      digits++;
      if (run % 3 === 0) digitTokens++;
      run++;
      continue;
    }
    run = 0;
    if (unit < 0x370) continue;
    if (unit < 0x2000) others++;
    else if (unit >= 0x2e80 && unit < 0xd800) ideographs++;
  }
  const rest = Math.max(0, rule.digitsAlone ? tokens - digitTokens : tokens);
  const wide = Math.min(rest, ideographs * perIdeograph);
  const other = Math.min(rest - wide, others * perOtherUnit);
  const scaled = wide * rule.ideographs + other * rule.otherScripts + (rest - wide - other) * rule.latin;
  return Math.ceil(scaled + (rule.digitsAlone ? digits : 0));
}
