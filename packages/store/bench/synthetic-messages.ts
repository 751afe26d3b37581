// Text that loads an index as real text does: few words are very frequent, most are rare, and every tenth message is
// Chinese.
const words = 20_000;
const characters = 2_000;

export type Random = () => number;

/** Mulberry32: small, fast, the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The word of this rank; rank 0 is the most frequent. */
export const wordOf = (rank: number): string => `w${rank.toString(36)}x`;

/** Zipf's law, near enough: the logarithm of the rank is spread evenly. */
const rankOf = (random: Random, count: number) => Math.floor(count ** random()) - 1;

export const characterOf = (rank: number): string => String.fromCodePoint(0x4e00 + rank);

export function createText(random: Random, number: number): string {
  if (number % 10 === 9) {
    return Array.from({ length: 60 }, () => characterOf(rankOf(random, characters))).join("");
  }
  return Array.from({ length: 40 }, () => wordOf(rankOf(random, words))).join(" ");
}
