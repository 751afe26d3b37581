import { longestToken } from "./find-token.ts";
import { mergeOf, PairJudge } from "./fits-together.ts";
import { RankSweep } from "./rank-sweep.ts";
import { layout, type Vocabulary } from "./vocabulary.ts";

/** How many tokens are tried for each byte of progress, and at the start, before the walk is given up. */
const triesPerByte = 3;
const freeTries = 256;

const rememberedStarts = 4096;

/**
 * Byte-pair merging of one piece, without merging. A list of tokens is the one that merging gives if and only if each
 * two neighbours are what merging gives for their bytes alone. So this walks forward taking the longest token that
 * goes with the one before it, takes a shorter one where none does, and steps back where no shorter one is left; a
 * place once left is never entered again. A text that makes it step back all the time is merged rank by rank instead.
 */
export class PieceSplitter {
  /** The tokens of the last piece. */
  tokens = new Int32Array(256);
  readonly #vocabulary: Vocabulary;
  readonly #judge: PairJudge;
  /** The latest answers of `#shorter`: a token and what it starts with, by the token's lowest bits. */
  readonly #starts = new Int32Array(2 * rememberedStarts).fill(-1);
  #sweep: RankSweep | undefined;
  #dead = new Uint8Array(257);

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#judge = new PairJudge(vocabulary);
  }

  /** Fills `tokens` with the tokens of a piece that is no token itself, and returns how many they are. */
  split(bytes: Uint8Array, view: DataView, start: number, stop: number): number {
    const length = stop - start;
    if (this.tokens.length < length) this.#resize(Math.max(length, this.tokens.length * 2));
    const vocabulary = this.#vocabulary;
    if (length <= fewUnits * 3) {
      const units = startUnits(vocabulary, bytes, start, stop, this.tokens);
      if (units <= fewUnits) return mergeFew(vocabulary, this.tokens, units);
    }
    const { lengths } = vocabulary;
    const tokens = this.tokens;
    const dead = this.#dead;
    const judge = this.#judge;
    let tries = 0;
    let steppedBack = false;
    let count = 0;
    let at = start;
    let before = -1;
    let token = longestToken(vocabulary, view, at, length - 1);
    for (;;) {
      while (token >= 0) {
        tries++;
        if (dead[at + lengths[token]! - start] === 0 && (before < 0 || judge.fits(before, token))) break;
        token = this.#shorter(token, view, at);
      }
      if (token >= 0) {
        tokens[count++] = token;
        at += lengths[token]!;
        if (at === stop) break;
        before = token;
        token = longestToken(vocabulary, view, at, stop - at);
      } else {
        if (tries > freeTries + (at - start) * triesPerByte) break;
        dead[at - start] = 1;
        steppedBack = true;
        at -= lengths[before]!;
        token = this.#shorter(before, view, at);
        count--;
        before = count === 0 ? -1 : tokens[count - 1]!;
      }
    }
    if (steppedBack) dead.fill(0, 0, length);
    if (at === stop) return count;
    this.#sweep ??= new RankSweep(vocabulary);
    return this.#sweep.merge(bytes, start, stop, tokens);
  }

  /** The longest other token that the token at a place starts with, or -1. */
  #shorter(token: number, view: DataView, at: number): number {
    const starts = this.#starts;
    const slot = (token & (rememberedStarts - 1)) * 2;
    if (starts[slot] === token) return starts[slot + 1]!;
    const shorter = longestToken(this.#vocabulary, view, at, this.#vocabulary.lengths[token]! - 1);
    starts[slot] = token;
    starts[slot + 1] = shorter;
    return shorter;
  }

  /** Gives back what an unusually long piece took. */
  trim(): void {
    if (this.tokens.length > 1_048_576) this.#resize(256);
  }

  #resize(room: number): void {
    this.tokens = new Int32Array(room);
    this.#dead = new Uint8Array(room + 1);
  }
}

const { noMerge } = layout;

/** More units than this take longer here than elsewhere. */
const fewUnits = 64;
const placeBits = 6;

/** Above every merge, and below `noMerge` however often that was moved. */
const noneLeft = noMerge - fewUnits;

/** By place: the rank of the merge with the next unit, and the place itself in the lowest bits; or `noMerge`. */
const merges = new Int32Array(fewUnits);

/** Merges units in place as byte-pair merging is defined, always the lowest rank first, and returns how many are left. */
function mergeFew(vocabulary: Vocabulary, units: Int32Array, count: number): number {
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

/**
 * Fills `into` with what the merging of a piece may start from, and returns how many units that is: bytes, or a whole
 * character where none of its own parts can merge with what stands beside it before the character is complete.
 */
function startUnits(
  { byteIds, charIndex, chars }: Vocabulary,
  bytes: Uint8Array,
  start: number,
  stop: number,
  into: Int32Array,
): number {
  let count = 0;
  for (let at = start; at < stop; ) {
    const first = bytes[at]!;
    if (first < 0x80) {
      into[count++] = byteIds[first]!;
      at++;
      continue;
    }
    let width = 4;
    if (first < 0xf0) {
      width = first < 0xe0 ? 2 : 3;
      const second = bytes[at + 1]! & 0x3f;
      const codePoint =
        width === 2 ? ((first & 0x1f) << 6) | second : ((first & 0x0f) << 12) | (second << 6) | (bytes[at + 2]! & 0x3f);
      const entry = charIndex[codePoint]!;
      if (entry > 0) {
        const edges = chars[entry + 1]!;
        const before = at === start ? 0 : 0x10000 << (bytes[at - 1]! & 15);
        const after = at + width === stop ? 0 : 1 << (bytes[at + width]! & 15);
        if ((edges & (before | after)) === 0) {
          into[count++] = chars[entry]!;
          at += width;
          continue;
        }
      }
    }
    for (const end = at + width; at < end; at++) into[count++] = byteIds[bytes[at]!]!;
  }
  return count;
}
