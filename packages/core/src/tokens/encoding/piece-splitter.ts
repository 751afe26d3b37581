import { longestToken } from "./find-token.ts";
import { PairJudge } from "./fits-together.ts";
import { fewUnits, mergeFew } from "./merge-few.ts";
import { RankSweep } from "./rank-sweep.ts";
import { startUnits } from "./start-units.ts";
import type { Vocabulary } from "./vocabulary.ts";

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
