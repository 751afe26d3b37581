import { ceilToGrapheme, floorToGrapheme } from "./floor-to-grapheme.ts";

/**
 * The longest start of `text` that `count` finds within `maxTokens`, to a grapheme, where counting is only a function:
 * bisects on the length. `maxUnitsPerToken` bounds what is looked at.
 */
export function fitStart(text: string, maxTokens: number, count: (text: string) => number, maxUnitsPerToken: number) {
  if (maxTokens <= 0) return "";
  const head = text.slice(0, Math.ceil(maxTokens * maxUnitsPerToken) + 1);
  if (head.length === text.length && count(text) <= maxTokens) return text;
  let low = 0;
  let high = head.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(head.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, floorToGrapheme(text, low));
}

export function fitEnd(text: string, maxTokens: number, count: (text: string) => number, maxUnitsPerToken: number) {
  if (maxTokens <= 0) return "";
  const tail = text.slice(Math.max(0, text.length - Math.ceil(maxTokens * maxUnitsPerToken) - 1));
  if (tail.length === text.length && count(text) <= maxTokens) return text;
  let low = 0;
  let high = tail.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(tail.slice(tail.length - middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return text.slice(ceilToGrapheme(text, text.length - low));
}
