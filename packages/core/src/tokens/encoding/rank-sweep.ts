import { finish } from "./finish.ts";
import { mergeOf } from "./fits-together.ts";
import { layout, type Vocabulary } from "./vocabulary.ts";

const { noMerge } = layout;

/** How many places are looked at in one step. */
const placesPerStep = 65_536;

/**
 * Byte-pair merging as it is defined, for pieces where walking forward would step back too often. What a merge makes
 * takes part only in merges of a higher rank, so the ranks are swept once from low to high: every place waits in the
 * list of its rank, and a two-level bitmap finds the next rank that has one. The work grows with the length alone.
 */
export class RankSweep {
  readonly #vocabulary: Vocabulary;
  /** By rank, the first place that waits there. */
  readonly #heads: Int32Array;
  readonly #ranks: Bitmap;
  // By place: its token, its neighbours, the rank it waits for, and its neighbours in that rank's list.
  #tokens = new Int32Array(0);
  #next = new Int32Array(0);
  #previous = new Int32Array(0);
  #waits = new Int32Array(0);
  #after = new Int32Array(0);
  #before = new Int32Array(0);
  #places = new Int32Array(0);

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#heads = new Int32Array(vocabulary.size).fill(-1);
    this.#ranks = new Bitmap(vocabulary.size);
  }

  /** Fills `into` with the tokens of the piece from `start` to `stop` and returns how many they are. */
  merge(bytes: Uint8Array, start: number, stop: number, into: Int32Array): number {
    finish(this.mergeSteps(bytes, start, stop));
    const length = stop - start;
    let count = 0;
    for (let place = 0; place < length; place = this.#next[place]!) into[count++] = this.#tokens[place]!;
    return count;
  }

  /** Merges the piece in steps that are short however long it is, and returns how many tokens it has. */
  *mergeSteps(bytes: Uint8Array, start: number, stop: number): Generator<undefined, number> {
    const length = stop - start;
    this.#allocate(length);
    const tokens = this.#tokens;
    const next = this.#next;
    for (let place = 0; place < length; place++) {
      tokens[place] = this.#vocabulary.byteIds[bytes[start + place]!]!;
      next[place] = place + 1;
      this.#previous[place] = place - 1;
    }
    this.#waits[length - 1] = noMerge;
    // From the right, so that each list starts out in order.
    for (let from = length - 2; from >= 0; from -= placesPerStep) {
      yield;
      for (let place = from; place >= 0 && place > from - placesPerStep; place--) this.#wait(place, place + 1);
    }
    let count = length;
    let merged = 0;
    for (let rank = this.#ranks.next(0); rank >= 0; rank = this.#ranks.next(rank + 1)) {
      const waiting = this.#takeList(rank);
      for (let from = 0; from < waiting; from += placesPerStep) {
        const merges = this.#mergePlaces(rank, from, Math.min(waiting, from + placesPerStep), length);
        count -= merges;
        merged += merges;
        if (merged < placesPerStep / 2) continue;
        merged = 0;
        yield;
      }
    }
    return count;
  }

  /** Merges some of the places that were taken from the list of this rank, and returns how many still wanted to. */
  #mergePlaces(rank: number, from: number, to: number, length: number): number {
    let merges = 0;
    const next = this.#next;
    for (let at = from; at < to; at++) {
      const place = this.#places[at]!;
      // Its right part may have gone to the place before it.
      if (this.#waits[place] !== rank) continue;
      merges++;
      const gone = next[place]!;
      const following = next[gone]!;
      this.#leave(gone, rank);
      this.#tokens[place] = rank;
      next[place] = following;
      if (following < length) {
        this.#previous[following] = place;
        this.#wait(place, following);
      } else this.#waits[place] = noMerge;
      const preceding = this.#previous[place]!;
      if (preceding >= 0) {
        this.#leave(preceding, rank);
        this.#wait(preceding, place);
      }
    }
    return merges;
  }

  /** Moves the list of a rank to `places`, in the order of the text, and returns its length. */
  #takeList(rank: number): number {
    let count = 0;
    let sorted = true;
    for (let place = this.#heads[rank]!, last = -1; place >= 0; place = this.#after[place]!) {
      sorted &&= place > last;
      last = place;
      this.#places[count++] = place;
    }
    this.#heads[rank] = -1;
    this.#ranks.clear(rank);
    if (!sorted) this.#places.subarray(0, count).sort();
    return count;
  }

  #wait(place: number, following: number): void {
    const rank = mergeOf(this.#vocabulary, this.#tokens[place]!, this.#tokens[following]!);
    this.#waits[place] = rank;
    if (rank === noMerge) return;
    const head = this.#heads[rank]!;
    this.#after[place] = head;
    this.#before[place] = -1;
    if (head >= 0) this.#before[head] = place;
    else this.#ranks.set(rank);
    this.#heads[rank] = place;
  }

  /** Takes a place out of the list it waits in; those of the rank being merged are in no list any more. */
  #leave(place: number, merging: number): void {
    const rank = this.#waits[place]!;
    this.#waits[place] = noMerge;
    if (rank === noMerge || rank === merging) return;
    const after = this.#after[place]!;
    const before = this.#before[place]!;
    if (after >= 0) this.#before[after] = before;
    if (before >= 0) this.#after[before] = after;
    else {
      this.#heads[rank] = after;
      if (after < 0) this.#ranks.clear(rank);
    }
  }

  #allocate(length: number): void {
    // Kept for pieces of a usual size, given back after a long one.
    const kept = 65_536;
    if (this.#tokens.length >= length && (this.#tokens.length <= kept || length > kept)) return;
    const room = length > kept ? length : Math.max(1024, 2 ** Math.ceil(Math.log2(length)));
    this.#tokens = new Int32Array(room);
    this.#next = new Int32Array(room);
    this.#previous = new Int32Array(room);
    this.#waits = new Int32Array(room);
    this.#after = new Int32Array(room);
    this.#before = new Int32Array(room);
    this.#places = new Int32Array(room);
  }
}

/** A set of small numbers that finds the next one quickly. */
class Bitmap {
  readonly #bits: Int32Array;
  readonly #words: Int32Array;

  constructor(size: number) {
    this.#bits = new Int32Array((size >>> 5) + 1);
    this.#words = new Int32Array((this.#bits.length >>> 5) + 1);
  }

  set(value: number): void {
    this.#bits[value >>> 5]! |= 1 << value;
    this.#words[value >>> 10]! |= 1 << (value >>> 5);
  }

  clear(value: number): void {
    const word = value >>> 5;
    this.#bits[word]! &= ~(1 << value);
    if (this.#bits[word] === 0) this.#words[word >>> 5]! &= ~(1 << word);
  }

  /** The lowest member from `value` on, or -1. */
  next(value: number): number {
    const word = value >>> 5;
    if (word >= this.#bits.length) return -1;
    const here = this.#bits[word]! & (-1 << value);
    if (here !== 0) return (word << 5) + lowestBit(here);
    for (let group = (word + 1) >>> 5, mask = -1 << (word + 1); group < this.#words.length; group++, mask = -1) {
      const found = this.#words[group]! & mask;
      if (found !== 0) {
        const first = (group << 5) + lowestBit(found);
        return (first << 5) + lowestBit(this.#bits[first]!);
      }
    }
    return -1;
  }
}

const lowestBit = (bits: number) => 31 - Math.clz32(bits & -bits);
