import { type CharFlags, charClass } from "./char-flags.ts";

const { closes, letter, opens } = charClass;

const continues = letter | opens | closes;

/**
 * A place after `from` where every splitting rule starts a new piece whatever stands around it, at most `reach` units
 * on if there is one, else further, else the end: after a letter and before what is no letter, mark or apostrophe.
 * Cutting there changes no count, so a long text is counted in parts that fit the processor's cache.
 */
export function findSeam(text: string, from: number, reach: number, { plane0 }: CharFlags): number {
  for (let limit = from; ; reach *= 2) {
    const to = from + reach;
    if (to >= text.length) return text.length;
    for (let at = to; at > limit; at--) {
      const unit = text.charCodeAt(at);
      if (unit === 0x27 || isSurrogate(unit) || (plane0[unit]! & continues) !== 0) continue;
      if ((plane0[text.charCodeAt(at - 1)]! & letter) !== 0) return at;
    }
    limit = to;
  }
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000;
