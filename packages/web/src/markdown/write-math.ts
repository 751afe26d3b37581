/** Code keeps its dollars: fences and spans are left as they are. */
const code = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const bracketed = /\\\[([\s\S]+?)\\\]/g;
const parenthesised = /\\\(([^\n]+?)\\\)/g;
/** Between single dollars it is a formula only when it looks like one: "$5 and $10" does not. */
const dollars = /(?<![\\$\w])\$(?=\S)([^$\n]*?[\\^_{}=+][^$\n]*?)(?<=\S)\$(?![\w$])/g;

/** Whether there may be a formula; a quick look, before anything is loaded. */
export const hasMath = (text: string): boolean => /\$\$|\\\(|\\\[/.test(text) || text.search(dollars) >= 0;

/** Formulas in the spellings models use, in the one that is read: `$$…$$`. */
export function markMath(text: string): string {
  return text
    .split(code)
    .map((piece, index) =>
      index % 2 === 1
        ? piece
        : piece
            .replaceAll(bracketed, (_, formula: string) => `\n$$\n${formula.trim()}\n$$\n`)
            .replaceAll(parenthesised, (_, formula: string) => `$$${formula.trim()}$$`)
            .replaceAll(dollars, (_, formula: string) => `$$${formula}$$`),
    )
    .join("");
}
