/**
 * Where a text that must become shorter is cut: at the end of a line, else of a sentence, else of a word, where one is
 * near. Half a URL, path or number reads like a whole one and is wrong; a few words less are only missing.
 */

/** An end of a line or sentence further away than this costs more words than it is worth. */
const nearChars = 400;
const nearShare = 0.2;
/** No word or URL is longer: what goes on without a gap for more than this is cut anywhere. */
const wordChars = 300;

/**
 * How much of the first `end` characters to keep.
 *
 * @example endAtEdge("see https://example.com/a/12345", 24); // 3
 */
export function endAtEdge(text: string, end: number): number {
  if (end >= text.length) return text.length;
  if (end <= 0) return 0;
  const near = end - Math.min(nearChars, Math.floor(end * nearShare));
  const line = text.lastIndexOf("\n", end);
  if (line >= near && line > 0) return line;
  let sentence = 0;
  for (const found of text.slice(near, end + 1).matchAll(sentenceEnd)) {
    const at = near + found.index + found[0].length;
    if (at <= end) sentence = at;
  }
  if (sentence > 0) return sentence;
  const far = Math.max(0, end - wordChars);
  for (let at = end; at > far; at--) if (isGap(text, at) || isJoint(text, at)) return beforeSpace(text, at);
  return far === 0 && lengthOfWord(text, 0, 1) <= wordChars ? 0 : outsidePair(text, end);
}

/**
 * Where to begin what is kept of a text's end.
 *
 * @example startAtEdge("total 12345 EUR", 8); // 12
 */
export function startAtEdge(text: string, start: number): number {
  if (start <= 0) return 0;
  if (start >= text.length) return text.length;
  const length = text.length - start;
  const near = start + Math.min(nearChars, Math.floor(length * nearShare));
  const line = text.indexOf("\n", start - 1);
  if (line !== -1 && line < near) return line + 1;
  const [sentence] = text.slice(start - 1, near).matchAll(sentenceEnd);
  if (sentence !== undefined) return pastSpace(text, start - 1 + sentence.index + sentence[0].length);
  const far = Math.min(text.length, start + wordChars);
  for (let at = start; at < far; at++) if (isGap(text, at) || isJoint(text, at)) return pastSpace(text, at);
  return far === text.length && lengthOfWord(text, far - 1, -1) <= wordChars ? far : outsidePair(text, start);
}

/** The start of the text, at most so many characters, up to a good place to cut. */
export const startOf = (text: string, chars: number) => text.slice(0, endAtEdge(text, chars));

/** The end of the text, from a good place to cut on. */
export const endOf = (text: string, chars: number) => text.slice(startAtEdge(text, text.length - chars));

/** The place, or the one before it where the two halves of a character stand on its sides. */
export function outsidePair(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
}

const sentenceEnd = /[.!?…]["')\]”»]*(?=\s)|[。！？；।؟]["”」』»]*/gu;

/** Between two words, or beside a letter of a script that writes no spaces. */
function isGap(text: string, at: number): boolean {
  const before = text[at - 1]!;
  const after = text[at]!;
  if (/\s/.test(before) || /\s/.test(after)) return true;
  if (joinsOn.test(after) || joinsNext.test(before)) return false;
  return unspaced.test(before) || unspaced.test(after);
}

/** In data: behind what closes or parts its values, but not inside a number. */
function isJoint(text: string, at: number): boolean {
  const before = text[at - 1]!;
  return ';|)}]>"'.includes(before) || (before === "," && !/\d/.test(text[at]!));
}

/** How far the word at a place goes on, looked at no further than it matters. */
function lengthOfWord(text: string, from: number, step: 1 | -1): number {
  let length = 0;
  while (length <= wordChars && /\S/.test(text[from + step * length] ?? " ")) length++;
  return length;
}

function beforeSpace(text: string, at: number): number {
  let end = at;
  while (end > 0 && /\s/.test(text[end - 1]!)) end--;
  return end;
}

function pastSpace(text: string, at: number): number {
  let start = at;
  while (start < text.length && /\s/.test(text[start]!)) start++;
  return start;
}

/** Thai, Lao, Myanmar, Khmer, Japanese, Chinese, with their punctuation. Korean has spaces. */
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff0f]/;
/** Belongs to the character before it: marks, joiners, second halves of pairs, what closes a sentence or a quotation. */
const joinsOn = /\p{M}|\u200d|[\udc00-\udfff。！？；，、：」』）”]/u;
/** Belongs to what follows: joiners, first halves of pairs, vowels that Thai and Lao write before their consonant. */
const joinsNext = /\u200d|[\ud800-\udbff\u0e40-\u0e44\u0ec0-\u0ec4「『（“]/u;
