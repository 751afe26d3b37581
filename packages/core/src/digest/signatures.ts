import type { Piece } from "./choose.ts";
import type { Speaker } from "./fact.ts";
import type { Source } from "./sources.ts";

/** `Mia: `, as the messages of a transcript begin. */
const signature = /^\p{Lu}[\p{L}\p{M}\d .,'’()-]{0,60}: /u;

/** The sides that sign nearly all they say. Elsewhere what opens with a word and a colon ("Note: …") is no signature. */
export function signedSides(sources: readonly Source[]): readonly Speaker[] {
  return (["user", "assistant"] as const).filter((side) => {
    const said = sources.filter(({ kind, by, carried }) => kind === "text" && by === side && !carried);
    return said.filter(({ text }) => signature.test(text)).length > said.length * 0.9;
  });
}

/** Pieces of a transcript with who says them only where that changes: told with every message, names took 5 % of a note. */
export function nameOnce(
  pieces: readonly Piece[],
  sources: readonly Source[],
  signed: readonly Speaker[],
): readonly Piece[] {
  const named = new Map<Speaker, string>();
  return pieces.map((piece) => {
    const { kind, by, text, carried } = sources[piece.source]!;
    if (kind !== "text" || !signed.includes(by)) return piece;
    const name = signature.exec(text)?.[0] ?? "";
    const before = named.get(by);
    const opens = name !== "" && piece.text.startsWith(name);
    // Who goes on without a name may be somebody else than the one named last.
    if (opens) named.set(by, name);
    else if (name !== before && !carried) named.delete(by);
    return opens && name === before ? { ...piece, text: piece.text.slice(name.length) } : piece;
  });
}
