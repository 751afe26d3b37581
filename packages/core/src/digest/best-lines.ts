import { estimateText } from "../tokens/estimate-text.ts";
import { lineEnd, lineStart } from "./choose.ts";
import type { FoundFact, Mention } from "./find-facts.ts";
import type { Source } from "./sources.ts";

/** What a quotation costs beside its text. */
const separatorCost = 2;
/** Lines whose worth differs by less than a twelfth count as equal; then the first one is quoted. */
const levelsPerDouble = 8;

interface Line {
  readonly cost: number;
  /** What it has, with the places. */
  readonly has: Map<FoundFact, Mention>;
}

/**
 * Has each exact thing of calls and results quoted from the line that tells most for its length: one line that names three
 * of them comes before three lines with one each. What a line already told makes the others worth less. Changes where
 * `facts` are quoted from, and their order accordingly. `mentions` are ordered by source and place. Returns those that stand
 * in a line.
 */
export function quoteBestLines(
  facts: FoundFact[],
  mentions: readonly Mention[],
  sources: readonly Source[],
): ReadonlySet<FoundFact> {
  const placed = new Set<FoundFact>();
  const open = new Set(facts.filter(({ source }) => sources[source]!.kind !== "text"));
  const levels = new Map<number, Line[]>();
  let [highest, lowest] = [-Infinity, Infinity];
  const levelOf = ({ has, cost }: Line) => {
    let use = 0;
    for (const fact of has.keys()) if (open.has(fact)) use += fact.use;
    return Math.floor(levelsPerDouble * Math.log2(use / cost));
  };
  const put = (line: Line, level: number) => {
    if (level === -Infinity) return;
    const list = levels.get(level);
    if (list === undefined) levels.set(level, [line]);
    else list.push(line);
    highest = Math.max(highest, level);
    lowest = Math.min(lowest, level);
  };
  for (const line of linesOf(mentions, open, sources)) put(line, levelOf(line));
  for (let level = highest; level >= lowest; level--) {
    for (const line of levels.get(level) ?? []) {
      const now = levelOf(line);
      if (now < level) {
        put(line, now);
        continue;
      }
      for (const [fact, { source, start, end }] of line.has)
        if (open.delete(fact)) placed.add(Object.assign(fact, { source, start, end }));
    }
  }
  facts.sort((a, b) => a.source - b.source || a.start - b.start || b.end - a.end);
  return placed;
}

/** The lines of calls and results that have something of these. */
function linesOf(mentions: readonly Mention[], facts: ReadonlySet<FoundFact>, sources: readonly Source[]): Line[] {
  const lines: Line[] = [];
  let source = -1;
  let end = -1;
  for (const mention of mentions) {
    const { fact, start } = mention;
    const { kind, text } = sources[mention.source]!;
    if (kind === "text" || !facts.has(fact)) continue;
    if (mention.source !== source || start >= end) {
      source = mention.source;
      end = lineEnd(text, mention.end) ?? mention.end;
      const whole = text.slice(lineStart(text, start) ?? start, end);
      lines.push({ cost: estimateText(whole) + separatorCost, has: new Map() });
    }
    const { has } = lines.at(-1)!;
    if (!has.has(fact)) has.set(fact, mention);
  }
  return lines;
}
