/** Made with the first cut: it takes ten milliseconds, and whoever only counts never cuts. */
let segmenter: Intl.Segmenter | undefined;

/** Longer clusters than this are cut between code points: no reader sees them as one character. */
const reach = 256;

/** The last place at or before `index` where `text` may be cut without splitting what a reader sees as one character. */
export function floorToGrapheme(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  return around(text, index).before;
}

/** The first such place at or after `index`. */
export function ceilToGrapheme(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  return around(text, index).after;
}

function around(text: string, index: number): { before: number; after: number } {
  const start = safeStart(text, index);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const segment = segmenter.segment(text.slice(start, index + reach)).containing(index - start);
  if (segment === undefined) return { before: index, after: index };
  const before = start + segment.index;
  if (before === index) return { before, after: index };
  const after = before + segment.segment.length;
  const tooLong = index - before >= reach || after >= index + reach;
  if (!tooLong) return { before, after: Math.min(after, text.length) };
  const point = isLowSurrogate(text, index) && isHighSurrogate(text, index - 1) ? index - 1 : index;
  return { before: point, after: point === index ? index : index + 1 };
}

/** A place a cluster surely does not span from before: an ASCII character that is not a line feed. */
function safeStart(text: string, index: number): number {
  const limit = Math.max(0, index - reach);
  for (let at = index - 1; at > limit; at--) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80 && unit !== 0x0a) return at;
  }
  return isLowSurrogate(text, limit) ? Math.max(0, limit - 1) : limit;
}

const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
const isHighSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xd800;
