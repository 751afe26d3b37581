/**
 * How a digest is written down, and read back when a later fold takes it up again. One entry per line, so that entries
 * can be merged and dropped one by one; a digest is never quoted inside another.
 */
export const sectionTitles = {
  rules: "Rules from the user, word for word (later ones win):",
  unverified: "Rules quoted in an earlier record that could not be verified:",
  user: "What the user said, word for word:",
  state: "State of the work:",
  log: "What was said and done:",
} as const;

export type Section = keyof typeof sectionTitles;

export const sections: readonly Section[] = ["state", "rules", "unverified", "user", "log"];

/** How a small digest marks its lines; there the user's words are entries of the log, and the state is the task. */
const mark = /^- (?:(rules|unverified|state): |(?=task: ))(.*)$/;

export type DigestLines = Readonly<Record<Section, readonly string[]>>;

export const noLines: DigestLines = { rules: [], unverified: [], user: [], state: [], log: [] };

/** Text of a digest. A log that stands alone needs no title; a small digest has none at all. */
export function renderLines(lines: DigestLines, small = false): string {
  if (small) {
    const marked = sections.flatMap((section) =>
      lines[section].map((line) => `- ${section === "log" || section === "state" ? "" : `${section}: `}${line}`),
    );
    return marked.join("\n");
  }
  const blocks: string[] = [];
  for (const section of sections) {
    if (lines[section].length === 0) continue;
    const body = lines[section].map((line) => `- ${line}`);
    blocks.push((section === "log" && blocks.length === 0 ? body : [sectionTitles[section], ...body]).join("\n"));
  }
  return blocks.join("\n");
}

/** Reads a digest back. Text that is no digest (a model's summary) comes back whole under `rest`. */
export function parseLines(text: string): DigestLines & { readonly rest: string } {
  const lines: Record<Section, string[]> = { rules: [], unverified: [], user: [], state: [], log: [] };
  const rest: string[] = [];
  let section: Section | undefined = text.startsWith("- ") ? "log" : undefined;
  for (const line of text.split("\n")) {
    const title = sections.find((name) => sectionTitles[name] === line);
    if (title !== undefined) section = title;
    else if (section !== undefined && line.startsWith("- ")) {
      const marked = section === "log" ? mark.exec(line) : null;
      if (marked === null) lines[section].push(line.slice(2));
      else lines[(marked[1] ?? "state") as Section].push(marked[2]!);
    } else if (section === undefined || line.trim() !== "") {
      section = undefined;
      rest.push(line);
    }
  }
  return { ...lines, rest: rest.join("\n").trim() };
}

/** Between pieces of one message that did not stand side by side. */
export const gap = " … ";

/** Lines one after the other, with a gap where some were left out. */
export function joinKept(lines: readonly string[], kept: (line: string, at: number) => boolean): string {
  const shown = lines.map((line, at) => (kept(line, at) ? line : "…"));
  return shown.join(" ").replace(/^(?:… ?)+|(?: …)+$|(?<=…)(?: …)+/g, "");
}

export interface LogLine {
  readonly id: string | undefined;
  readonly lead: string;
  /** The file that it is about. */
  readonly about: string | undefined;
  readonly pieces: string[];
}

/** `m12 user: one piece … another piece`, `m14 Read src/main.ts: one line … another line` */
export function readLogLine(line: string): LogLine {
  const found = /^(?:(m\d{1,7}) )?([\p{L}\p{N}_.@/-]{1,80})(?: (?=\S*[./])([\p{L}\p{N}_.@/~+-]{1,80}))?: /u.exec(line);
  const body = found === null ? line : line.slice(found[0].length);
  return {
    id: found?.[1],
    lead: found?.[2] ?? "tool",
    about: found?.[3],
    pieces: body.split(gap).filter((piece) => piece.trim() !== ""),
  };
}

/** One line, no stray control characters. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return text.replace(/[\s\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim();
}

/** At most so many characters of a line, up to a space. */
export function clip(line: string, most: number): string {
  return line.length > most ? `${line.slice(0, most).replace(/\s\S*$|[\ud800-\udbff]$/, "")} …` : line;
}
