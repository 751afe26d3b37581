import type { TextRule } from "./family.ts";

// How many tokens of o200k a UTF-16 unit of each kind is, on average over running text.
const perIdeograph = 0.8;
const perOtherUnit = 0.3;
const perRareUnit = 0.36;

/** What a family makes of a text that is `tokens` long in o200k. */
export function scaleCount(text: string, tokens: number, rule: TextRule): number {
  let digits = 0;
  let digitTokens = 0;
  let run = 0;
  let ideographs = 0;
  let others = 0;
  let rare = 0;
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
    if (unit < 0x900 && (unit < 0x530 || unit >= 0x590)) others++;
    // Vietnamese writes Latin with letters from U+1E00 on.
    else if (unit < 0x1e00) rare++;
    else if (unit >= 0x2e80 && unit < 0xd800) ideographs++;
  }
  const rest = Math.max(0, rule.digitsAlone ? tokens - digitTokens : tokens);
  const wide = Math.min(rest, ideographs * perIdeograph);
  const other = Math.min(rest - wide, others * perOtherUnit);
  const seldom = Math.min(rest - wide - other, rare * perRareUnit);
  const latin = rest - wide - other - seldom;
  const scaled = wide * rule.ideographs + other * rule.otherScripts + seldom * rule.rareScripts + latin * rule.latin;
  return Math.ceil(scaled + (rule.digitsAlone ? digits : 0));
}
