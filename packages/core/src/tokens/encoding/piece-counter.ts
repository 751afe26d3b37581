import type { CharFlags } from "./char-flags.ts";
import { findLong, findToken } from "./find-token.ts";
import { PieceSplitter } from "./piece-splitter.ts";
import { RankSweep } from "./rank-sweep.ts";
import { hashBytes, hashFour, hashWords, layout, slotShift, type Vocabulary } from "./vocabulary.ts";

const { highMasks, longestTokenBytes, lowMasks, middleStride, shortStride } = layout;

/** Where the piece that starts at `at` ends. `bytes` is well-formed UTF-8 with a NUL at `end`. */
export type Scan = (bytes: Uint8Array, at: number, end: number, chars: CharFlags) => number;

/** A shorter piece is split as fast as it is looked up. */
const minCached = 5;

/** About how much is counted in one step, and the longest piece that is split in one. */
const bytesPerStep = 65_536;

/** Counts the tokens of UTF-8 text. */
export class PieceCounter {
  readonly #vocabulary: Vocabulary;
  readonly #scan: Scan;
  readonly #chars: CharFlags;
  readonly #splitter: PieceSplitter;
  readonly #cache = new PieceCache();

  constructor(vocabulary: Vocabulary, scan: Scan, chars: CharFlags) {
    this.#vocabulary = vocabulary;
    this.#scan = scan;
    this.#chars = chars;
    this.#splitter = new PieceSplitter(vocabulary);
  }

  /** `bytes` must have sixteen more bytes behind `end`, the first of them NUL. */
  count(bytes: Uint8Array, view: DataView, end: number): number {
    const { short, twoBytes } = this.#vocabulary;
    const scan = this.#scan;
    const chars = this.#chars;
    const shift = slotShift(short.length / shortStride);
    let tokens = 0;
    let at = 0;
    while (at < end) {
      const stop = scan(bytes, at, end, chars);
      const length = stop - at;
      if (length > 8) tokens += this.#countLong(bytes, view, at, stop);
      else if (length > 2) {
        const low = view.getInt32(at, true) & lowMasks[length]!;
        const high = view.getInt32(at + 4, true) & highMasks[length]!;
        const hash = hashWords(low, high);
        let slot = (hash >>> shift) * shortStride;
        while (short[slot] !== low || short[slot + 1] !== high || (short[slot + 2]! & 15) !== length) {
          if (short[slot + 2] === 0) {
            slot = -1;
            break;
          }
          slot = slot + shortStride === short.length ? 0 : slot + shortStride;
        }
        tokens += slot >= 0 ? 1 : this.#countParts(bytes, view, at, stop, hash);
      } else if (length === 2) {
        const two = bytes[at]! | (bytes[at + 1]! << 8);
        // Two bytes that are no token are two tokens.
        tokens += (twoBytes[two >>> 5]! & (1 << two)) !== 0 ? 1 : 2;
      } else tokens++;
      at = stop;
    }
    return tokens;
  }

  /** As `count`, in steps that are short whatever the text is. */
  *countSteps(bytes: Uint8Array, view: DataView, end: number): Generator<undefined, number> {
    const sweep = new RankSweep(this.#vocabulary);
    let tokens = 0;
    let rest = bytesPerStep;
    for (let at = 0; at < end; ) {
      const stop = this.#scan(bytes, at, end, this.#chars);
      if (stop - at > bytesPerStep) tokens += yield* sweep.mergeSteps(bytes, at, stop);
      else if (findToken(this.#vocabulary, view, at, stop - at) >= 0) tokens++;
      else tokens += this.#splitter.split(bytes, view, at, stop);
      rest -= stop - at;
      at = stop;
      if (rest > 0) continue;
      rest = bytesPerStep;
      yield;
    }
    return tokens;
  }

  /** Appends the tokens of the piece at `at` to `ids` and returns where it ends. */
  encode(bytes: Uint8Array, view: DataView, at: number, end: number, ids: number[]): number {
    const stop = this.#scan(bytes, at, end, this.#chars);
    const whole = findToken(this.#vocabulary, view, at, stop - at);
    if (whole >= 0) ids.push(whole);
    else {
      const count = this.#splitter.split(bytes, view, at, stop);
      for (let i = 0; i < count; i++) ids.push(this.#splitter.tokens[i]!);
    }
    return stop;
  }

  /** Gives back what an unusually long piece took. */
  trim(): void {
    this.#splitter.trim();
  }

  #countLong(bytes: Uint8Array, view: DataView, at: number, stop: number): number {
    const length = stop - at;
    if (length <= 16) return this.#countMiddle(bytes, view, at, stop);
    if (length > longestTokenBytes) return this.#splitter.split(bytes, view, at, stop);
    const hash = hashBytes(view, at, length);
    return findLong(this.#vocabulary, view, at, length, hash) >= 0 ? 1 : this.#countParts(bytes, view, at, stop, hash);
  }

  #countMiddle(bytes: Uint8Array, view: DataView, at: number, stop: number): number {
    const { middle } = this.#vocabulary;
    const rest = stop - at - 8;
    const first = view.getInt32(at, true);
    const second = view.getInt32(at + 4, true);
    const third = view.getInt32(at + 8, true) & lowMasks[rest]!;
    const fourth = view.getInt32(at + 12, true) & highMasks[rest]!;
    const hash = hashFour(first, second, third, fourth);
    let slot = (hash >>> slotShift(middle.length / middleStride)) * middleStride;
    for (;;) {
      if (
        middle[slot] === first &&
        middle[slot + 1] === second &&
        middle[slot + 2] === third &&
        middle[slot + 3] === fourth &&
        (middle[slot + 4]! & 31) === rest + 8
      ) {
        return 1;
      }
      if (middle[slot + 4] === 0) return this.#countParts(bytes, view, at, stop, hash);
      slot = slot + middleStride === middle.length ? 0 : slot + middleStride;
    }
  }

  #countParts(bytes: Uint8Array, view: DataView, at: number, stop: number, hash: number): number {
    if (stop - at < minCached) return this.#splitter.split(bytes, view, at, stop);
    const known = this.#cache.get(view, at, stop - at, hash);
    if (known > 0) return known;
    const count = this.#splitter.split(bytes, view, at, stop);
    this.#cache.set(view, at, stop - at, hash, count);
    return count;
  }
}

const indexBits = 16;
const firstWords = 65_536;
const mostWords = 262_144;
const maxEntries = 1 << (indexBits - 1);

/**
 * Remembers how many tokens a piece has that is no token itself. Pieces are laid end to end in one array; when that is
 * full everything is forgotten, which costs less than keeping order.
 */
class PieceCache {
  readonly #index = new Int32Array(1 << indexBits);
  #store = new Int32Array(firstWords);
  #used = 1;
  #entries = 0;

  /** The count of a piece up to 255 bytes long, or 0 where it is not known. */
  get(view: DataView, at: number, length: number, hash: number): number {
    const store = this.#store;
    const index = this.#index;
    const mask = index.length - 1;
    const last = at + length - 4;
    for (let slot = hash >>> (32 - indexBits); ; slot = (slot + 1) & mask) {
      let word = index[slot]!;
      if (word === 0) return 0;
      const head = store[word++]!;
      if ((head & 0xff) !== length) continue;
      let offset = at;
      while (offset <= last && store[word] === view.getInt32(offset, true)) {
        word++;
        offset += 4;
      }
      if (offset <= last) continue;
      const rest = last + 4 - offset;
      if (rest === 0 || store[word] === (view.getInt32(offset, true) & lowMasks[rest]!)) return head >>> 8;
    }
  }

  /** Adds a piece that is not there yet. */
  set(view: DataView, at: number, length: number, hash: number, count: number): void {
    if (this.#entries === maxEntries || this.#used + 2 + (length >>> 2) > this.#store.length) this.#makeRoom();
    const store = this.#store;
    const index = this.#index;
    let slot = hash >>> (32 - indexBits);
    while (index[slot] !== 0) slot = (slot + 1) & (index.length - 1);
    let word = this.#used;
    index[slot] = word;
    store[word++] = length | (count << 8);
    const last = at + length - 4;
    let offset = at;
    for (; offset <= last; offset += 4) store[word++] = view.getInt32(offset, true);
    if (offset < last + 4) store[word++] = view.getInt32(offset, true) & lowMasks[last + 4 - offset]!;
    this.#used = word;
    this.#entries++;
  }

  #makeRoom(): void {
    if (this.#entries < maxEntries && this.#store.length < mostWords) {
      const store = new Int32Array(this.#store.length * 2);
      store.set(this.#store);
      this.#store = store;
      return;
    }
    this.#index.fill(0);
    this.#used = 1;
    this.#entries = 0;
  }
}
