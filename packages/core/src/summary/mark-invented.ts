import type { FactKind } from "../digest/fact.ts";
import { scanFacts } from "../digest/scan-facts.ts";
import { segmentsOf } from "../digest/segments-of.ts";
import type { Message } from "../message/message.ts";
import { hear, saysFact } from "./find-loss.ts";

/** Stands behind what a model's summary says and no message does. */
export const inventedMark = "[not in the messages]";
const mark = ` ${inventedMark}`;
/** Words in capitals and commands are often the model's own; counts it made itself have one or two digits. */
const exact: ReadonlySet<FactKind> = new Set([
  "path",
  "identifier",
  "url",
  "email",
  "phone",
  "money",
  "date",
  "number",
]);
const mostMarked = 20;

export interface Marked {
  readonly text: string;
  /** Values of the summary that nobody said. */
  readonly invented: readonly string[];
}

/**
 * A model's summary with a mark behind each exact value that is in none of the messages, nor in the summary before: who
 * goes on from it would take an invented port or file for one that was agreed on.
 */
export function markInvented(summary: string, messages: readonly Message[], previous = ""): Marked {
  const found: { readonly kind: FactKind; readonly start: number; readonly end: number }[] = [];
  scanFacts(
    summary,
    (kind, start, end) => {
      const digits = summary.slice(start, end).replace(/\D/g, "").length;
      if (exact.has(kind) && (kind !== "number" || digits > 2)) found.push({ kind, start, end });
    },
    { names: false },
  );
  if (found.length === 0) return { text: summary, invented: [] };
  const texts = messages.flatMap((message) => segmentsOf(message).map((segment) => withoutMarked(segment.text)));
  texts.push(withoutMarked(previous));
  const said = hear(...texts);
  const numbers = new Set(texts.flatMap((text) => text.match(numberPattern) ?? []).map(bare));
  const invented = new Map<string, number>();
  for (const { kind, start, end } of found) {
    const text = summary.slice(start, end);
    // The model may have copied the mark.
    if (invented.has(text) || summary.startsWith(mark, end) || saysFact(said, { kind, text })) continue;
    // "1,234.50" is 1234.5 elsewhere, "3. März 2026" is "2026-03-03", and a file may be named without its folder.
    const parts = text.match(numberPattern) ?? [];
    if (kind !== "path" && kind !== "url" && parts.length > 0 && parts.every((part) => numbers.has(bare(part))))
      continue;
    if (kind === "path" && said.text.includes(text.slice(text.lastIndexOf("/") + 1).toLowerCase())) continue;
    invented.set(text, end);
    if (invented.size >= mostMarked) break;
  }
  let text = summary;
  for (const end of [...invented.values()].sort((a, b) => b - a)) text = text.slice(0, end) + mark + text.slice(end);
  return { text, invented: [...invented.keys()] };
}

/** A text without what is marked in it: a summary before, or an answer that repeats one, did not make it true. */
function withoutMarked(text: string): string {
  if (!text.includes(mark)) return text;
  let out = "";
  let at = 0;
  scanFacts(
    text,
    (_kind, start, end) => {
      if (!text.startsWith(mark, end) || start < at) return;
      out += text.slice(at, start);
      at = end;
    },
    { names: false },
  );
  return out + text.slice(at);
}

const numberPattern = /\d+(?:[.,'\u00a0\u202f]\d+)*/g;

/** Without marks between thousands, noughts before it or behind its point. */
function bare(number: string): string {
  const [, whole, part = ""] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(number)!;
  return `${whole!.replace(/\D/g, "").replace(/^0+(?=\d)/, "")}.${part.replace(/0+$/, "")}`;
}
