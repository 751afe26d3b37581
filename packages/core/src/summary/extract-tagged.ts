/**
 * What stands between `<tag>` and `</tag>`: from the first opening to the last closing one. The whole text where the
 * tag does not occur; undefined where it opens and never closes, which means that the answer broke off.
 */
export function extractTagged(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}>`);
  if (open === -1) return text.trim();
  const close = text.lastIndexOf(`</${tag}>`);
  if (close < open) return undefined;
  return text.slice(open + tag.length + 2, close).trim();
}
