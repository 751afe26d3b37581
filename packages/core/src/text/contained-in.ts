/**
 * A function that tells whether a piece stands in a text. Thousands of pieces are asked about, and few stand there: most
 * have three characters in a row that the text has nowhere, and need no search.
 */
export function containedIn(text: string): (piece: string) => boolean {
  const threes = new Uint8Array(65_536);
  for (let i = 2; i < text.length; i++) threes[endingAt(text, i)] = 1;
  return (piece) => {
    for (let i = 2; i < piece.length; i++) if (threes[endingAt(piece, i)] === 0) return false;
    return text.includes(piece);
  };
}

function endingAt(text: string, at: number): number {
  return (text.charCodeAt(at - 2) * 961 + text.charCodeAt(at - 1) * 31 + text.charCodeAt(at)) & 0xffff;
}
