import { ceilToGrapheme, floorToGrapheme } from "./floor-to-grapheme.ts";

type Count = (text: string) => number;

/**
 * The longest start of `text` that `count` finds within `maxTokens`, to a grapheme, where counting is only a function:
 * bisects on the length. `maxUnitsPerToken` bounds what is looked at.
 */
export function fitStart(text: string, maxTokens: number, count: Count, maxUnitsPerToken: number): string {
  const most = mostUnits(text, maxTokens, maxUnitsPerToken, (units) => count(text.slice(0, units)));
  return text.slice(0, floorToGrapheme(text, most));
}

export function fitEnd(text: string, maxTokens: number, count: Count, maxUnitsPerToken: number): string {
  const most = mostUnits(text, maxTokens, maxUnitsPerToken, (units) => count(text.slice(text.length - units)));
  return text.slice(ceilToGrapheme(text, text.length - most));
}

function mostUnits(
  text: string,
  maxTokens: number,
  maxUnitsPerToken: number,
  countUnits: (units: number) => number,
): number {
  if (maxTokens <= 0) return 0;
  let low = 0;
  let high = Math.min(text.length, Math.ceil(maxTokens * maxUnitsPerToken) + 1);
  if (high === text.length && countUnits(high) <= maxTokens) return high;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countUnits(middle) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return low;
}
