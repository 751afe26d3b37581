/** A block of code in a page, and what is known about running it. */
export interface Snippet {
  readonly language: string;
  readonly code: string;
  /** The line its code starts at. */
  readonly line: number;
  /** Why a test does not run it, from a comment `<!-- not run: … -->` on the line before. */
  readonly notRun: string | undefined;
}

/** The fenced blocks of a Markdown page. */
export function snippetsOf(page: string): Snippet[] {
  const lines = page.split("\n");
  const snippets: Snippet[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, fence, language = ""] = /^(`{3,})(\S*)/.exec(lines[at] ?? "") ?? [];
    if (fence === undefined) continue;
    const end = lines.indexOf(fence, at + 1);
    if (end === -1) throw new Error(`The block at line ${at + 1} is never closed.`);
    const notRun = /^<!-- not run: (.+) -->$/.exec(lines[at - 1] ?? "")?.[1];
    snippets.push({ language, code: lines.slice(at + 1, end).join("\n"), line: at + 2, notRun });
    at = end;
  }
  return snippets;
}

/**
 * Lines that Markdown shows as code because they are indented: nothing says what they are, so no test can run them. Scripts
 * of npm may stand so: they take minutes, and `documentation.test.ts` looks whether they exist.
 */
export function indentedBlocks(page: string): number[] {
  const lines = page.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, "")).split("\n");
  return lines.flatMap((line, at) =>
    /^ {4}\S/.test(line) && !/^ {4}npm /.test(line) && /^\s*$/.test(lines[at - 1] ?? "") ? [at + 1] : [],
  );
}
