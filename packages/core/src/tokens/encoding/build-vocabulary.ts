import { hashPairs, hashTokens, maskLengths, putTokens } from "./hash-tokens.ts";
import { markChars } from "./mark-chars.ts";
import { sharedBytes, sharedInts } from "./shared-memory.ts";
import { spellTokens } from "./spell-tokens.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A list of pairs with this in place of both parts has no token at that id. */
export const hole = -1;

/** How many tokens are hashed in one step. */
const tokensPerStep = 16_384;

/**
 * Builds every table of an encoding from its list of pairs: the bytes of the first 256 ids, then the two parts of each
 * later id. In steps of about ten milliseconds, so that whoever has time to wait need not hold the thread.
 */
export function* buildVocabulary(numbers: Int32Array): Generator<undefined, Vocabulary> {
  const size = 256 + (numbers.length - 256) / 2;
  const left = sharedInts(size);
  const right = sharedInts(size);
  const lengths = sharedBytes(size);
  const byteIds = sharedInts(256);
  for (let id = 0; id < 256; id++) {
    left[id] = id;
    right[id] = id;
    lengths[id] = 1;
    byteIds[numbers[id]!] = id;
  }
  for (let id = 256, at = 256; id < size; id++, at += 2) {
    const first = numbers[at]!;
    const second = numbers[at + 1]!;
    left[id] = first;
    right[id] = second;
    if (first !== hole) lengths[id] = lengths[first]! + lengths[second]!;
  }
  const tokens = { size, left, right, lengths, byteIds };
  yield;
  const spelled = spellTokens(tokens);
  yield;
  const hashes = hashTokens(lengths, spelled);
  for (let from = 0; from < size; from += tokensPerStep) {
    putTokens(hashes, tokens, spelled, from, Math.min(size, from + tokensPerStep));
    yield;
  }
  const pairs = hashPairs(tokens);
  yield;
  return { ...tokens, ...hashes, ...pairs, ...maskLengths(lengths, spelled), ...markChars(tokens, spelled) };
}
