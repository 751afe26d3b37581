import { type CharFlags, charClass } from "./char-flags.ts";
import type { Encoding, EncodingName } from "./encoding.ts";
import { ceilToGrapheme, floorToGrapheme } from "./floor-to-grapheme.ts";
import { PieceCounter, type Scan } from "./piece-counter.ts";
import type { Vocabulary } from "./vocabulary.ts";

export interface BytePairEncodingOptions {
  readonly name: EncodingName;
  readonly vocabulary: Vocabulary;
  readonly scan: Scan;
  readonly chars: CharFlags;
}

/** Texts are counted in parts of about this many UTF-16 units. */
const partLength = 32_768;

export class BytePairEncoding implements Encoding {
  readonly name: EncodingName;
  readonly vocabulary: Vocabulary;
  readonly #chars: CharFlags;
  readonly #counter: PieceCounter;
  readonly #buffer = new TextBuffer();

  constructor({ name, vocabulary, scan, chars }: BytePairEncodingOptions) {
    this.name = name;
    this.vocabulary = vocabulary;
    this.#chars = chars;
    this.#counter = new PieceCounter(vocabulary, scan, chars);
  }

  count(text: string): number {
    let tokens = 0;
    for (let from = 0; from < text.length; ) {
      const part = this.countPart(text, from);
      tokens += part.tokens;
      from = part.to;
    }
    return tokens;
  }

  /** Counts one part of a text, for callers that have something else to do in between. */
  countPart(text: string, from: number): { readonly tokens: number; readonly to: number } {
    const to = this.partEnd(text, from);
    const end = this.#buffer.fill(text, from, to);
    const tokens = this.#counter.count(this.#buffer.bytes, this.#buffer.view, end);
    if (to - from > partLength * 2) this.#trim();
    return { tokens, to };
  }

  /** Where the part of a text ends that starts at `from`; far away only where there is nowhere to cut. */
  partEnd(text: string, from: number): number {
    return findSeam(text, from, partLength, this.#chars);
  }

  /** Counts the part from `from` to its end, in steps that are short even where the part is long. */
  *countSteps(text: string, from: number, to: number): Generator<undefined, number> {
    if (to - from <= partLength * 2) return this.countPart(text, from).tokens;
    // Memory of its own: other texts may be counted between the steps.
    const buffer = new TextBuffer();
    const end = buffer.fill(text, from, to);
    yield;
    return yield* this.#counter.countSteps(buffer.bytes, buffer.view, end);
  }

  encode(text: string): number[] {
    const ids: number[] = [];
    for (let from = 0; from < text.length; ) {
      const to = this.partEnd(text, from);
      const end = this.#buffer.fill(text, from, to);
      for (let at = 0; at < end; ) at = this.#counter.encode(this.#buffer.bytes, this.#buffer.view, at, end, ids);
      from = to;
    }
    this.#trim();
    return ids;
  }

  take(text: string, maxTokens: number): string {
    // A token is at least one byte, and a unit at most three.
    if (text.length * 3 <= maxTokens) return text;
    let cut = this.#unitsOfTokens(text, maxTokens);
    if (cut === text.length) return text;
    for (let step = 0; ; step = step * 2 + 1) {
      cut = floorToGrapheme(text, cut - step);
      const start = text.slice(0, cut);
      // Cut off from what followed, the same characters can be more tokens.
      if (cut === 0 || this.count(start) <= maxTokens) return start;
    }
  }

  takeLast(text: string, maxTokens: number): string {
    if (text.length * 3 <= maxTokens) return text;
    if (maxTokens < 1) return "";
    let reach = maxTokens * 4 + 64;
    let tail = text.slice(-reach);
    while (tail.length < text.length && this.count(tail) <= maxTokens) {
      reach *= 2;
      tail = text.slice(-reach);
    }
    const surplus = this.count(tail) - maxTokens;
    if (surplus <= 0) return text;
    let cut = this.#unitsOfTokens(tail, surplus);
    for (let step = 0; ; step = step * 2 + 1) {
      cut = ceilToGrapheme(tail, cut + step);
      const end = tail.slice(cut);
      if (this.count(end) <= maxTokens) return end;
    }
  }

  /** How many units the first `tokens` tokens are, a character they cut in two not counted. */
  #unitsOfTokens(text: string, tokens: number): number {
    const { lengths } = this.vocabulary;
    let rest = Math.floor(tokens);
    for (let from = 0; from < text.length; ) {
      const to = this.partEnd(text, from);
      const end = this.#buffer.fill(text, from, to);
      const { bytes, view } = this.#buffer;
      for (let at = 0; at < end; ) {
        const ids: number[] = [];
        const stop = this.#counter.encode(bytes, view, at, end, ids);
        if (ids.length > rest) {
          for (const id of ids.slice(0, Math.max(0, rest))) at += lengths[id]!;
          return from + unitsIn(bytes, at);
        }
        rest -= ids.length;
        at = stop;
      }
      from = to;
    }
    return text.length;
  }

  #trim(): void {
    this.#buffer.trim();
    this.#counter.trim();
  }
}

const { closes, letter, opens } = charClass;

const continues = letter | opens | closes;

/**
 * A place after `from` where every splitting rule starts a new piece whatever stands around it, at most `reach` units
 * on if there is one, else further, else the end: after a letter and before what is no letter, mark or apostrophe.
 * Cutting there changes no count, so a long text is counted in parts that fit the processor's cache.
 */
export function findSeam(text: string, from: number, reach: number, { plane0 }: CharFlags): number {
  for (let limit = from; ; reach *= 2) {
    const to = from + reach;
    if (to >= text.length) return text.length;
    for (let at = to; at > limit; at--) {
      const unit = text.charCodeAt(at);
      if (unit === 0x27 || isSurrogate(unit) || (plane0[unit]! & continues) !== 0) continue;
      if ((plane0[text.charCodeAt(at - 1)]! & letter) !== 0) return at;
    }
    limit = to;
  }
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000;

const encoder = new TextEncoder();

/** What may be read past the end: up to four whole words. */
const padding = 16;
const firstBytes = 131_072;
/** What is kept for the next text even after an unusually long one. */
const keptBytes = 2_097_152;
const shortText = 40;

/**
 * One text as UTF-8, in memory that the next text uses again. A lone surrogate becomes U+FFFD, as everywhere else that
 * text becomes bytes.
 */
class TextBuffer {
  bytes = new Uint8Array(firstBytes);
  view = new DataView(this.bytes.buffer);

  /** Fills `bytes` with a part of the text and NULs behind it; returns where it ends. */
  fill(text: string, from: number, to: number): number {
    const length = to - from;
    let end = length <= shortText ? this.#fillAscii(text, from, to) : -1;
    if (end < 0) end = this.#encode(length === text.length ? text : text.slice(from, to));
    this.view.setInt32(end, 0);
    this.view.setInt32(end + 4, 0);
    return end;
  }

  /** Gives back what an unusually long text took. */
  trim(): void {
    if (this.bytes.length <= keptBytes) return;
    this.bytes = new Uint8Array(0);
    this.#resize(firstBytes);
  }

  /** Most text is mostly ASCII, so room is made for that, and for more only when it turns out to be needed. */
  #encode(text: string): number {
    if (this.bytes.length < text.length + padding) this.#resize(text.length + padding);
    const { read, written } = encoder.encodeInto(text, this.bytes.subarray(0, this.bytes.length - padding));
    if (read === text.length) return written;
    this.#resize(written + (text.length - read) * 3 + padding);
    return written + encoder.encodeInto(text.slice(read), this.bytes.subarray(written)).written;
  }

  /** The call into the platform takes longer than a short text. */
  #fillAscii(text: string, from: number, to: number): number {
    const { bytes } = this;
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) return -1;
      bytes[at - from] = unit;
    }
    return to - from;
  }

  #resize(length: number): void {
    const { bytes } = this;
    this.bytes = new Uint8Array(length);
    this.bytes.set(bytes.subarray(0, length));
    this.view = new DataView(this.bytes.buffer);
  }
}

/** How many UTF-16 units the first `length` bytes are; a character cut in two does not count. */
function unitsIn(bytes: Uint8Array, length: number): number {
  let units = 0;
  for (let at = 0; at < length; ) {
    const first = bytes[at]!;
    const width = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (at + width > length) break;
    units += width === 4 ? 2 : 1;
    at += width;
  }
  return units;
}
