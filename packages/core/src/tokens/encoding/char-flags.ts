import { unpackNumbers } from "./packed-numbers.ts";
import { unicodeClasses } from "./tables/unicode-classes.gen.ts";

/**
 * One bit for each class of characters. Modules on the hot path take them apart into constants of their own, which are
 * compiled in; an imported constant is read again at every use.
 */
export const charClass = {
  /** Upper and title case letters, other letters and marks: what may start a word in o200k. */
  opens: 1,
  /** Lower case letters, other letters and marks: what may end one. */
  closes: 2,
  letter: 4,
  number: 8,
  space: 16,
  /** Carriage return or line feed, which are also `space`. */
  newline: 32,
  /** In the table by first byte only: the character is not ASCII. */
  wide: 64,
} as const;

export interface CharFlags {
  /** By byte; every byte from 128 on is `wide`. */
  readonly ascii: Uint8Array;
  /** By code point, up to U+FFFF. */
  readonly plane0: Uint8Array;
  /** For the planes above: which block of `blocks` holds the code point's 256 neighbours. */
  readonly blockOf: Uint8Array;
  readonly blocks: Uint8Array;
}

const endlessRun = 200_000;
let built: CharFlags | undefined;

/** The classes the splitting rules ask for, of every code point. */
export function charFlags(): CharFlags {
  built ??= build();
  return built;
}

function build(): CharFlags {
  const numbers = unpackNumbers(unicodeClasses);
  const plane0 = new Uint8Array(0x10000);
  const blockOf = new Uint8Array(0x1100);
  const blocks = new Uint8Array(256 * 256);
  let used = 1;
  // A block filled by one run is kept once for each class; any other block has a copy of its own.
  const uniform = new Map<number, number>([[0, 0]]);
  for (let at = 0, codePoint = 0; at < numbers.length; ) {
    const flags = numbers[at++]!;
    let stop = codePoint;
    for (let part = endlessRun; part === endlessRun; stop += part) part = numbers[at++]!;
    if (codePoint < 0x10000) plane0.fill(flags, codePoint, Math.min(stop, 0x10000));
    for (codePoint = Math.max(codePoint, 0x10000); codePoint < stop; ) {
      const block = codePoint >>> 8;
      const next = Math.min(stop, (block + 1) << 8);
      const known = next - codePoint === 256 ? uniform.get(flags) : undefined;
      if (known !== undefined) blockOf[block] = known;
      else if (flags !== 0) {
        if (blockOf[block] === 0) blockOf[block] = used++;
        const start = blockOf[block]! << 8;
        blocks.fill(flags, start | (codePoint & 0xff), start + 256 - ((256 - (next & 0xff)) & 0xff));
        if (next - codePoint === 256) uniform.set(flags, blockOf[block]!);
      }
      codePoint = next;
    }
    codePoint = stop;
  }
  const ascii = new Uint8Array(256).fill(charClass.wide);
  ascii.set(plane0.subarray(0, 128));
  return { ascii, plane0, blockOf, blocks: blocks.slice(0, used << 8) };
}

/** The flags of the character that starts at `at`; `bytes` is well-formed UTF-8. */
export function flagsAt(bytes: Uint8Array, at: number, flags: CharFlags): number {
  const first = bytes[at]!;
  if (first < 0x80) return flags.ascii[first]!;
  if (first < 0xe0) return flags.plane0[((first & 0x1f) << 6) | (bytes[at + 1]! & 0x3f)]!;
  if (first < 0xf0) {
    return flags.plane0[((first & 0x0f) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f)]!;
  }
  const high = ((first & 0x07) << 10) | ((bytes[at + 1]! & 0x3f) << 4) | ((bytes[at + 2]! & 0x3f) >> 2);
  const low = ((bytes[at + 2]! & 0x03) << 6) | (bytes[at + 3]! & 0x3f);
  return flags.blocks[(flags.blockOf[high]! << 8) | low]!;
}

/** How many bytes the character takes whose first byte this is. */
export const widthOf = (first: number) => (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
