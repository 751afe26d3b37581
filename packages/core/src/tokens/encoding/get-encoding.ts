import { buildVocabulary, hole } from "./build-vocabulary.ts";
import { BytePairEncoding } from "./byte-pair-encoding.ts";
import { charFlags } from "./char-flags.ts";
import type { EncodingName } from "./encoding.ts";
import { finish, finishWithPauses, nextTurn, type Pause } from "./finish.ts";
import { unpackNumbers } from "./packed-numbers.ts";
import type { Scan } from "./piece-counter.ts";
import { scanCl100k } from "./scan-cl100k.ts";
import { scanO200k } from "./scan-o200k.ts";
import { scanR50k } from "./scan-r50k.ts";
import { cl100kPairs } from "./tables/cl100k-pairs.gen.js";
import { o200kPairs } from "./tables/o200k-pairs.gen.js";
import { r50kPairs } from "./tables/r50k-pairs.gen.js";
import type { Vocabulary } from "./vocabulary.ts";

const scans: Readonly<Record<EncodingName, Scan>> = {
  o200k_base: scanO200k,
  cl100k_base: scanCl100k,
  p50k_base: scanR50k,
  r50k_base: scanR50k,
};

const loaded = new Map<EncodingName, BytePairEncoding>();

/** The encoding of that name; its tables are built at the first call, in some tens of milliseconds, and kept. */
export function getEncoding(name: EncodingName): BytePairEncoding {
  return loaded.get(name) ?? adoptVocabulary(name, finish(buildVocabulary(pairsOf(name))));
}

const loading = new Map<EncodingName, Promise<BytePairEncoding>>();

/** As `getEncoding`, building in steps with a pause after each, so that the thread is never held for long. */
export function loadEncoding(name: EncodingName, pause: Pause = nextTurn): Promise<BytePairEncoding> {
  const known = loaded.get(name);
  if (known !== undefined) return Promise.resolve(known);
  let promise = loading.get(name);
  if (promise === undefined) {
    promise = finishWithPauses(buildVocabulary(pairsOf(name)), pause)
      // Somebody who could not wait may have built it meanwhile.
      .then((vocabulary) => loaded.get(name) ?? adoptVocabulary(name, vocabulary))
      .finally(() => loading.delete(name));
    loading.set(name, promise);
  }
  return promise;
}

/** Uses tables that another thread has built. */
export function adoptVocabulary(name: EncodingName, vocabulary: Vocabulary): BytePairEncoding {
  const encoding = new BytePairEncoding({ name, vocabulary, scan: scans[name], chars: charFlags() });
  loaded.set(name, encoding);
  return encoding;
}

function pairsOf(name: EncodingName): Int32Array {
  switch (name) {
    case "o200k_base":
      return unpackNumbers(o200kPairs);
    case "cl100k_base":
      return unpackNumbers(cl100kPairs);
    case "r50k_base":
      return unpackNumbers(r50kPairs);
    case "p50k_base":
      return withSpaces(unpackNumbers(r50kPairs));
  }
}

/** p50k is r50k, a hole where <|endoftext|> stands, and runs of 2 to 25 spaces. */
function withSpaces(r50k: Int32Array): Int32Array {
  const oneSpace = 220;
  const firstRun = 50_257;
  const idOf = (length: number) => (length === 1 ? oneSpace : firstRun + length - 2);
  const numbers = new Int32Array(r50k.length + 2 * 25);
  numbers.set(r50k);
  numbers.fill(hole, r50k.length, r50k.length + 2);
  for (let length = 2, at = r50k.length + 2; length <= 25; length++, at += 2) {
    const first = splitOf(length);
    numbers[at] = idOf(first);
    numbers[at + 1] = idOf(length - first);
  }
  return numbers;
}

/** How long the left part of a run of spaces is: merging doubles from the left as long as half as much is left over. */
function splitOf(length: number): number {
  let first = 1;
  while (length >= first * 3) first *= 2;
  return first;
}
