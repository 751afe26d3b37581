import type { Fact } from "../digest/fact.ts";
import type { Frame } from "../digest/frame.ts";
import { scanFacts } from "../digest/scan-facts.ts";
import { takeFrames } from "../digest/take-frames.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { type DigestLines, oneLine, renderSections } from "./digest-sections.ts";
import { extractFacts } from "./extract-facts.ts";
import { snippetsOf } from "./gather-details.ts";

export interface CheckAndRepairOptions {
  readonly counter: TokenCounter;
  /** What the repair may add beside the summary. */
  readonly ledgerTokens: number;
  /** The digest or summary before these messages; what it carried must be carried on. */
  readonly previous?: string;
  /** Longest list of lost facts to report. Default 200. */
  readonly most?: number;
}

export interface LossReport {
  readonly kept: number;
  readonly repaired: number;
  readonly lost: number;
  /** The lost facts that would be missed most, most missed first. */
  readonly lostFacts: readonly Fact[];
}

export interface Repair {
  /** Goes into the frame beside the summary. */
  readonly ledger: Partial<DigestLines>;
  readonly report: LossReport;
}

/**
 * Looks in a summary for what an extractor that did not write it found in the messages, puts what is missing into a
 * ledger as far as its budget goes (constraints first), and reports the rest.
 */
export function checkAndRepair(summary: string, messages: readonly Message[], options: CheckAndRepairOptions): Repair {
  const { frames, rest } = takeFrames(messages, options.previous);
  const facts = extractFacts(rest);
  const said = hear(summary);
  const missing = facts.filter((fact) => !says(said, fact.text));
  const constraints: string[] = [];
  const ledger: string[] = [];
  const fits = () => options.counter.count(renderSections({ constraints, events: [], ledger })) <= options.ledgerTokens;

  const carried = frames.flatMap((frame) => frame.constraints.filter((line) => !says(said, line)));
  const binding = missing.filter((fact) => fact.kind === "constraint").sort(byWeight);
  let misses = 0;
  for (const line of [...carried, ...binding.map((fact) => oneLine(fact.text))]) {
    constraints.push(line);
    if (fits()) continue;
    constraints.pop();
    if (++misses >= 8) break;
  }
  const exact = missing.filter((fact) => fact.kind !== "constraint");
  const snippets = [...carriedSnippets(frames, said), ...snippetsOf(exact, rest)].sort(
    (a, b) => b.weight / b.text.length - a.weight / a.text.length,
  );
  // The render grows with every line, so whole batches are tried first and halved when they do not fit.
  let batch = 16;
  for (let next = 0; next < snippets.length && options.ledgerTokens > 0; ) {
    const before = ledger.length;
    for (const snippet of snippets.slice(next, next + batch)) ledger.push(`${snippet.lead}: ${snippet.text}`);
    if (fits()) next += batch;
    else {
      ledger.length = before;
      if (batch === 1) break;
      batch = Math.floor(batch / 2);
    }
  }
  const repaired = hear(...constraints, ...ledger);
  const lost = missing.filter((fact) => !says(repaired, fact.text));
  return {
    ledger: { ...(constraints.length > 0 && { constraints }), ...(ledger.length > 0 && { ledger }) },
    report: {
      kept: facts.length - missing.length,
      repaired: missing.length - lost.length,
      lost: lost.length,
      lostFacts: lost.sort(byWeight).slice(0, options.most ?? 200),
    },
  };
}

/** Ledger lines of earlier frames that the summary does not repeat. */
function carriedSnippets(frames: readonly Frame[], said: Said): { lead: string; text: string; weight: number }[] {
  return frames.flatMap((frame) =>
    frame.ledger.flatMap((line) => {
      const lead = /^([^\s:]{1,80}): /.exec(line);
      const text = lead === null ? line : line.slice(lead[0].length);
      const missing = exactTextsIn(text).filter((fact) => !says(said, fact));
      return missing.length === 0 ? [] : [{ lead: lead?.[1] ?? "earlier", text, weight: 3.5 * missing.length }];
    }),
  );
}

function exactTextsIn(text: string): string[] {
  const texts: string[] = [];
  scanFacts(text, (_kind, start, end) => texts.push(text.slice(start, end)), { names: false });
  return texts;
}

/** A text to look things up in. Its words tell at once that most things are not there. */
interface Said {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

const wordPattern = /[a-z0-9_]+/g;

function hear(...texts: readonly string[]): Said {
  const text = plain(texts.join("\n"));
  return { text, words: new Set(text.match(wordPattern)) };
}

/** Stands there as a whole: "45" is not said by "1450". */
function says(said: Said, wanted: string): boolean {
  const value = plain(wanted);
  for (const word of value.match(wordPattern) ?? []) if (!said.words.has(word)) return false;
  for (let at = said.text.indexOf(value); at !== -1; at = said.text.indexOf(value, at + 1)) {
    if (!isWord(said.text[at - 1]) && !isWord(said.text[at + value.length])) return true;
  }
  return false;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[a-z0-9_]/.test(char);
}

/** Case, spaces and quotation marks do not decide whether something was said. */
function plain(text: string): string {
  return oneLine(text).toLowerCase().replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
}

function byWeight(a: Fact, b: Fact): number {
  return b.weight - a.weight || a.message - b.message || a.at.start - b.at.start;
}
