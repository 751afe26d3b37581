import type { Piece } from "./draft.ts";

/** The content of a message as clients write it: a plain string where text is all there is, else blocks. */
export function contentOf<TBlock>(pieces: readonly Piece[], blockOf: (piece: Piece) => TBlock): string | TBlock[] {
  const [only] = pieces;
  if (only === undefined) return "";
  return pieces.length === 1 && only.kind === "text" ? only.text : pieces.map(blockOf);
}
