import { hashWords, layout, slotShift, type Vocabulary } from "./vocabulary.ts";

const { noMerge, pairStride, partBits, partMask } = layout;

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
  let limit: number = noMerge;
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
  let slot = (hash >>> slotShift(pairs.length / pairStride)) * pairStride;
  for (; ; slot = (slot + pairStride) & mask) {
    const one = pairs[slot]!;
    const two = pairs[slot + 1]!;
    if ((one & partMask) === first && (two & partMask) === second) {
      return (one >>> partBits) | ((two >>> partBits) << (32 - partBits));
    }
    if ((one | two) === 0) return noMerge;
  }
}
