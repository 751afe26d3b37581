import { hashWords, slotShift, type Vocabulary } from "./vocabulary.ts";

/** Above all ids. */
export const noMerge = 0x7fffffff;

const memoBits = 13;

/** Answers `fitsTogether`, and remembers the answers to the latest questions. */
export class PairJudge {
  readonly #vocabulary: Vocabulary;
  /** By a hash of both: the first token with the answer in the lowest bit, and the second. */
  readonly #memo = new Int32Array(2 << memoBits).fill(-1);

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  fits(first: number, second: number): boolean {
    const slot = (hashWords(first, second) >>> (32 - memoBits)) * 2;
    const memo = this.#memo;
    if (memo[slot + 1] === second && memo[slot]! >> 1 === first) return (memo[slot]! & 1) === 1;
    const answer = fitsTogether(this.#vocabulary, first, second);
    memo[slot] = (first << 1) | (answer ? 1 : 0);
    memo[slot + 1] = second;
    return answer;
  }
}

/**
 * Whether merging the bytes of two tokens side by side gives back these two: undoes their merges from the latest one
 * down, and looks whether any two parts that meet at the seam would have merged first.
 */
function fitsTogether(vocabulary: Vocabulary, first: number, second: number): boolean {
  const { left, right } = vocabulary;
  let limit = noMerge;
  for (;;) {
    if (mergeOf(vocabulary, first, second) < limit) return false;
    if (first > second) {
      limit = first;
      first = right[first]!;
      if (first === limit) {
        limit = second + 1;
        second = left[second]!;
        if (second + 1 === limit) return true;
      }
    } else {
      limit = second + 1;
      second = left[second]!;
      if (second + 1 === limit) {
        limit = first;
        first = right[first]!;
        if (first === limit) return true;
      }
    }
  }
}

/** The token two tokens merge into, or `noMerge`. */
export function mergeOf({ pairs, pairFilter, left, right }: Vocabulary, first: number, second: number): number {
  const hash = hashWords(first, second);
  if ((pairFilter[hash >>> 16]! & (1 << (hash >>> 11))) === 0) return noMerge;
  const mask = pairs.length - 1;
  const check = hash & 0x3fff;
  for (let slot = hash >>> slotShift(pairs.length); ; slot = (slot + 1) & mask) {
    const value = pairs[slot]!;
    if (value === 0) return noMerge;
    if ((value & 0x3fff) !== check) continue;
    const id = value >>> 14;
    if (left[id] === first && right[id] === second) return id;
  }
}
