import { hashPairs, hashTokens, maskLengths } from "./hash-tokens.ts";
import { sharedBytes, sharedInts } from "./shared-memory.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A list of pairs with this in place of both parts has no token at that id. */
export const hole = -1;

/**
 * Builds every table of an encoding from its list of pairs: the bytes of the first 256 ids, then the two parts of each
 * later id.
 */
export function buildVocabulary(numbers: Int32Array): Vocabulary {
  const size = 256 + (numbers.length - 256) / 2;
  const left = sharedInts(size);
  const right = sharedInts(size);
  const lengths = sharedBytes(size);
  const offsets = new Int32Array(size);
  const byteIds = sharedInts(256);
  for (let id = 0; id < 256; id++) {
    left[id] = id;
    right[id] = id;
    lengths[id] = 1;
    offsets[id] = id;
    byteIds[numbers[id]!] = id;
  }
  let total = 256;
  for (let id = 256, at = 256; id < size; id++, at += 2) {
    const first = numbers[at]!;
    const second = numbers[at + 1]!;
    left[id] = first;
    right[id] = second;
    offsets[id] = total;
    if (first === hole) continue;
    lengths[id] = lengths[first]! + lengths[second]!;
    total += lengths[id]!;
  }
  // Sixteen more, so that the last token can be read as four whole words.
  const bytes = new Uint8Array(total + 16);
  for (let id = 0; id < 256; id++) bytes[id] = numbers[id]!;
  for (let id = 256; id < size; id++) spell(id, left, right, lengths, offsets, bytes);
  const tokens = { size, left, right, lengths, byteIds };
  const spelled = { size, lengths, offsets, bytes: new DataView(bytes.buffer) };
  return { ...tokens, ...hashTokens(spelled), ...hashPairs(tokens), ...maskLengths(spelled) };
}

function spell(
  id: number,
  left: Int32Array,
  right: Int32Array,
  lengths: Uint8Array,
  offsets: Int32Array,
  bytes: Uint8Array,
): void {
  if (lengths[id] === 0) return;
  let at = offsets[id]!;
  for (let half = 0; half < 2; half++) {
    const part = half === 0 ? left[id]! : right[id]!;
    const start = offsets[part]!;
    const stop = start + lengths[part]!;
    for (let from = start; from < stop; from++) bytes[at++] = bytes[from]!;
  }
}
