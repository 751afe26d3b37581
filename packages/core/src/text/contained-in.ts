/**
 * A function that tells whether a piece stands in a text. Hundreds of thousands of pieces are asked about, and a search through
 * all of a long text for each took most of the time of a fold: a piece is looked for only where the rarest four characters in
 * it stand.
 */
export function containedIn(text: string): (piece: string) => boolean {
  const slots = 2 ** Math.min(20, Math.max(12, Math.ceil(Math.log2(text.length + 1)) + 1));
  /** By the hash of four characters: where they end last, and how often they stand there. */
  const last = new Int32Array(slots);
  const count = new Int32Array(slots);
  /** Where the four characters with the same hash end before, 0: nowhere. */
  const before = new Int32Array(text.length);
  const slotOf = (of: string, end: number) =>
    (Math.imul(
      Math.imul(of.charCodeAt(end - 3), 961) + Math.imul(of.charCodeAt(end - 2), 31) + of.charCodeAt(end - 1),
      0x9e37_79b1,
    ) ^
      Math.imul(of.charCodeAt(end), 0x85eb_ca6b)) >>>
    (32 - Math.log2(slots));
  for (let end = 3; end < text.length; end++) {
    const slot = slotOf(text, end);
    before[end] = last[slot]!;
    last[slot] = end;
    count[slot]!++;
  }
  return (piece) => {
    if (piece.length < 4) return text.includes(piece);
    let rarest = 0;
    let offset = 0;
    for (let end = 3; end < piece.length; end++) {
      const slot = slotOf(piece, end);
      if (count[slot] === 0) return false;
      if (end > 3 && count[slot]! >= count[rarest]!) continue;
      rarest = slot;
      offset = end;
    }
    for (let at = last[rarest]!; at > 0; at = before[at]!) if (text.startsWith(piece, at - offset)) return true;
    return false;
  };
}
