import type { CharFlags } from "./char-flags.ts";
import type { Encoding, EncodingName } from "./encoding.ts";
import { findSeam } from "./find-seam.ts";
import { ceilToGrapheme, floorToGrapheme } from "./floor-to-grapheme.ts";
import { PieceCounter, type Scan } from "./piece-counter.ts";
import { TextBuffer, unitsIn } from "./text-buffer.ts";
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
