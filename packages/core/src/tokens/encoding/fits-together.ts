import { hashWords, slotShift, type Vocabulary } from "./vocabulary.ts";

/** Above all ids. */
export const noMerge = 0x7fffffff;

const memoBits = 12;

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
export function mergeOf({ pairs, pairFilter }: Vocabulary, first: number, second: number): number {
  const hash = hashWords(first, second);
  if ((pairFilter[hash >>> 16]! & (1 << (hash >>> 11))) === 0) return noMerge;
  const mask = pairs.length - 1;
  const low = first | (second << 18);
  const high = second >>> 14;
  for (let slot = (hash >>> slotShift(pairs, 2)) * 2; ; slot = (slot + 2) & mask) {
    const value = pairs[slot + 1]!;
    if (value === 0) return noMerge;
    if (pairs[slot] === low && (value & 15) === high) return value >>> 4;
  }
}
