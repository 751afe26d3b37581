/** Dollars in code stay: fences and spans are left as they are. */
const code = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const bracketed = /\\\[([\s\S]+?)\\\]/g;
const parenthesised = /\\\(([^\n]+?)\\\)/g;
/** Text between single dollars is a formula only when it looks like one: "$5 and $10" does not. */
const dollars = /(?<![\\$\w])\$(?=\S)([^$\n]*?[\\^_{}=+][^$\n]*?)(?<=\S)\$(?![\w$])/g;

/** A quick check whether there may be a formula, before anything is loaded. */
export const hasMath = (text: string): boolean => /\$\$|\\\(|\\\[/.test(text) || text.search(dollars) >= 0;

/** Rewrites the notations models use for formulas to the one that is parsed: `$$…$$`. */
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
