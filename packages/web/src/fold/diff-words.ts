export interface DiffPiece {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Beyond this the table of a word diff would not fit in memory for long; lines are compared instead. */
const mostWords = 2500;

/** What changed between two texts, by words (by lines when they are long). */
export function diffWords(before: string, after: string): readonly DiffPiece[] {
  const split = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];
  let left: readonly string[] = split(before);
  let right: readonly string[] = split(after);
  if (left.length > mostWords || right.length > mostWords) {
    left = before.split(/(?<=\n)/);
    right = after.split(/(?<=\n)/);
  }
  return merge(trace(left, right));
}

function trace(left: readonly string[], right: readonly string[]): readonly DiffPiece[] {
  const width = right.length + 1;
  const table = new Uint16Array((left.length + 1) * width);
  const at = (row: number, column: number) => table[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      table[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pieces: DiffPiece[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    const old = left[row];
    const fresh = right[column];
    if (old !== undefined && old === fresh) {
      pieces.push({ kind: "same", text: old });
      row += 1;
      column += 1;
    } else if (fresh !== undefined && (old === undefined || at(row, column + 1) > at(row + 1, column))) {
      pieces.push({ kind: "added", text: fresh });
      column += 1;
    } else {
      pieces.push({ kind: "removed", text: old ?? "" });
      row += 1;
    }
  }
  return pieces;
}

function merge(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const merged: DiffPiece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last?.kind === piece.kind) merged[merged.length - 1] = { kind: last.kind, text: last.text + piece.text };
    else merged.push(piece);
  }
  return merged;
}
