import { mergeOf } from "./fits-together.ts";
import { layout, type Vocabulary } from "./vocabulary.ts";

const { noMerge } = layout;

/** More units than this take longer here than elsewhere. */
export const fewUnits = 64;
const placeBits = 6;

/** Above every merge, and below `noMerge` however often that was moved. */
const noneLeft = noMerge - fewUnits;

/** By place: the rank of the merge with the next unit, and the place itself in the lowest bits; or `noMerge`. */
const merges = new Int32Array(fewUnits);

/** Merges units in place as byte-pair merging is defined, always the lowest rank first, and returns how many are left. */
export function mergeFew(vocabulary: Vocabulary, units: Int32Array, count: number): number {
  const { bytePairs } = vocabulary;
  let left = units[0]!;
  for (let place = 0; place < count - 1; place++) {
    const right = units[place + 1]!;
    const rank = (left | right) < 256 ? bytePairs[(left << 8) | right]! : mergeOf(vocabulary, left, right);
    merges[place] = rank === noMerge ? noMerge : (rank << placeBits) | place;
    left = right;
  }
  while (count > 1) {
    let first: number = noMerge;
    for (let place = 0; place < count - 1; place++) first = Math.min(first, merges[place]!);
    if (first >= noneLeft) break;
    const place = first & (fewUnits - 1);
    const merged = first >> placeBits;
    count--;
    units[place] = merged;
    for (let moved = place + 1; moved < count; moved++) {
      units[moved] = units[moved + 1]!;
      merges[moved] = merges[moved + 1]! - 1;
    }
    if (place + 1 < count) {
      const rank = mergeOf(vocabulary, merged, units[place + 1]!);
      merges[place] = rank === noMerge ? noMerge : (rank << placeBits) | place;
    }
    if (place > 0) {
      const rank = mergeOf(vocabulary, units[place - 1]!, merged);
      merges[place - 1] = rank === noMerge ? noMerge : (rank << placeBits) | (place - 1);
    }
  }
  return count;
}
