/**
 * How a digest is written down, and read back when a later fold takes it up again. One item per line, so that items can
 * be merged and dropped one by one; a digest is never quoted inside another.
 */
export type Section = "constraints" | "events" | "ledger";

export const sectionTitles: Readonly<Record<Section, string>> = {
  constraints: "The user stated (verbatim, still binding):",
  events: "What happened, in order:",
  ledger: "Exact details:",
};

export const sections: readonly Section[] = ["constraints", "events", "ledger"];

export type DigestLines = Readonly<Record<Section, readonly string[]>>;

export function renderSections(lines: DigestLines): string {
  const blocks: string[] = [];
  for (const section of sections) {
    if (lines[section].length === 0) continue;
    blocks.push([sectionTitles[section], ...lines[section].map((line) => `- ${line}`)].join("\n"));
  }
  return blocks.join("\n");
}

/** Reads a digest back. Text that is no digest (a model's summary) comes back whole under `rest`. */
export function parseSections(text: string): DigestLines & { readonly rest: string } {
  const lines: Record<Section, string[]> = { constraints: [], events: [], ledger: [] };
  const rest: string[] = [];
  let section: Section | undefined;
  for (const line of text.split("\n")) {
    const title = sections.find((name) => sectionTitles[name] === line);
    if (title !== undefined) section = title;
    else if (section !== undefined && line.startsWith("- ")) lines[section].push(line.slice(2));
    else if (section === undefined || line.trim() !== "") {
      section = undefined;
      rest.push(line);
    }
  }
  return { ...lines, rest: rest.join("\n").trim() };
}

/** One line, no stray control characters. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return text.replace(/[\s\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim();
}
