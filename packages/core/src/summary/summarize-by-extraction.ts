import { takeFrames } from "../digest/take-frames.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { collectItems, type DigestItem } from "./collect-items.ts";
import { oneLine } from "./digest-sections.ts";
import { sectionHeadings } from "./templates.ts";

export interface ExtractionOptions {
  readonly counter: TokenCounter;
  readonly maxTokens: number;
  readonly previous?: string | undefined;
  /** What to look out for. */
  readonly instructions?: string | undefined;
}

type Heading = (typeof sectionHeadings)[number];

interface Line {
  readonly heading: Heading;
  readonly text: string;
  readonly order: number;
  readonly density: number;
  /** Exact texts of a detail: not needed where another line says them. */
  readonly facts: readonly string[];
}

/** What each heading may take of the budget; what one leaves, the next may use. */
const shares: Readonly<Record<Heading, number>> = {
  Context: 0.15,
  "Key Points": 0.35,
  "Technical Details": 0.25,
  "Decisions and Outcomes": 0.17,
  "Unresolved Questions": 0.08,
};

const decided =
  /\b(?:decided|agreed|chose|chosen|will use|went with|fixed|resolved|completed|created|updated|cancelled|booked|confirmed|implemented|changed|removed|added|done|successfully|beschlossen|erledigt|décidé|terminé|decidido|hecho|решили|готово)\b|已经|决定|完成|已为|決定|しました/i;
const pending =
  /\b(?:todo|to do|pending|open question|next step|still need|not yet|remaining|offen|noch nicht|reste à|pendiente)\b|待办|尚未|未完了/i;

/** A summary in the sections of R1 appendix B, made of sentences that were really said. */
export function summarizeByExtraction(messages: readonly Message[], options: ExtractionOptions): string {
  const { counter, maxTokens } = options;
  const earlier = parseHeadings(options.previous ?? "");
  const { frames, rest } = takeFrames(messages, earlier === undefined ? options.previous : undefined);
  const items = collectItems(rest, frames, options.instructions);
  const lastMessage = rest.length - 1;
  const lines = [...(earlier ?? []), ...items.map((item, order) => toLine(item, order, lastMessage))];
  let room = maxTokens;
  for (let attempt = 0; attempt < 8 && room > 0; attempt++) {
    const text = render(choose(lines, room, counter));
    const over = counter.count(text) - maxTokens;
    if (over <= 0) return text;
    room -= over + 4;
  }
  return "";
}

function toLine(item: DigestItem, order: number, lastMessage: number): Line {
  const who =
    item.lead === "user" ? "The user: " : item.lead === "assistant" || item.lead === "" ? "" : `${item.lead}: `;
  const text = item.binds ? `The user required: "${item.text}"` : `${who}${item.text}`;
  return {
    heading: headingOf(item, lastMessage),
    text,
    order,
    density: item.value / (item.cost + 2) + (item.binds ? 8 : 0),
    facts: item.facts,
  };
}

function headingOf(item: DigestItem, lastMessage: number): Heading {
  if (item.binds || item.section === "constraints") return "Key Points";
  if (item.section === "ledger" || item.lead.startsWith("ran ")) return "Technical Details";
  if (item.opening) return "Context";
  const late = item.message >= lastMessage - 1;
  if (pending.test(item.text) || (late && /[?？]$/.test(item.text))) return "Unresolved Questions";
  if (item.lead === "assistant" && (late || decided.test(item.text))) return "Decisions and Outcomes";
  return "Key Points";
}

function choose(lines: readonly Line[], room: number, counter: TokenCounter): Line[] {
  const kept: Line[] = [];
  let left = room - 30;
  const fill = (candidates: readonly Line[], allowance: number): number => {
    let open = allowance;
    for (const line of [...candidates].sort((a, b) => b.density - a.density || a.order - b.order)) {
      const cost = counter.count(line.text) + 2;
      if (cost > open || cost > left) continue;
      kept.push(line);
      open -= cost;
      left -= cost;
      if (open < 6) break;
    }
    return Math.max(0, open);
  };
  let over = 0;
  for (const heading of sectionHeadings) {
    const share = heading === "Technical Details" ? shares[heading] / 2 : shares[heading];
    const told = lines.filter((line) => line.heading === heading && line.facts.length === 0);
    over = fill(told, room * share + over);
  }
  const said = kept.map((line) => line.text).join("\n");
  fill(
    lines.filter((line) => line.facts.some((fact) => !said.includes(fact))),
    left,
  );
  return kept;
}

function render(lines: readonly Line[]): string {
  const blocks: string[] = [];
  for (const heading of sectionHeadings) {
    const own = lines.filter((line) => line.heading === heading).sort((a, b) => a.order - b.order);
    if (own.length > 0) blocks.push([`## ${heading}`, ...own.map((line) => `- ${oneLine(line.text)}`)].join("\n"));
  }
  return blocks.join("\n\n");
}

/** The lines of an earlier summary under the same headings; undefined when it has none of them. */
function parseHeadings(text: string): Line[] | undefined {
  const lines: Line[] = [];
  let heading: Heading | undefined;
  for (const line of text.split("\n")) {
    const title = sectionHeadings.find((name) => line.trim() === `## ${name}`);
    if (title !== undefined) heading = title;
    else if (heading !== undefined && line.trim() !== "") {
      const order = lines.length - 1_000_000;
      lines.push({ heading, text: line.replace(/^\s*[-*]\s+/, ""), order, density: 4, facts: [] });
    }
  }
  return lines.length === 0 ? undefined : lines;
}
