/**
 * A function that tells whether a piece stands in a text. Thousands of pieces are asked about: those with four characters in a
 * row that the text has nowhere need no search, and others are searched for only from where all their fours have been seen.
 */
export function containedIn(text: string): (piece: string) => boolean {
  const slots = 2 ** Math.min(20, Math.max(12, Math.ceil(Math.log2(text.length + 1)) + 1));
  /** Where the first four characters of each kind end, from 1 on. */
  const first = new Int32Array(slots);
  const slotOf = (of: string, end: number) =>
    (Math.imul(
      Math.imul(of.charCodeAt(end - 3), 961) + Math.imul(of.charCodeAt(end - 2), 31) + of.charCodeAt(end - 1),
      0x9e37_79b1,
    ) ^
      Math.imul(of.charCodeAt(end), 0x85eb_ca6b)) >>>
    (32 - Math.log2(slots));
  for (let end = 3; end < text.length; end++) {
    const slot = slotOf(text, end);
    if (first[slot] === 0) first[slot] = end;
  }
  return (piece) => {
    let from = 0;
    for (let end = 3; end < piece.length; end++) {
      const seen = first[slotOf(piece, end)]!;
      if (seen === 0) return false;
      from = Math.max(from, seen - end);
    }
    return text.startsWith(piece, from) || text.includes(piece, from);
  };
}
