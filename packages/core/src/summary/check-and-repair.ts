import { extractFacts } from "../digest/extract-facts.ts";
import type { Fact } from "../digest/fact.ts";
import { type DigestLines, noLines, oneLine, readLogLine, renderLines } from "../digest/lines.ts";
import { scanFacts } from "../digest/scan-facts.ts";
import { type Source, sourcesOf } from "../digest/sources.ts";
import { findState } from "../digest/state.ts";
import { takeFrames } from "../digest/take-frames.ts";
import type { Message } from "../message/message.ts";
import { splitSentences } from "../text/split-sentences.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { hear, type LossReport, reportLoss, type Said, says, saysFact } from "./find-loss.ts";

export interface CheckAndRepairOptions {
  readonly counter: TokenCounter;
  /** What the repair may add beside the summary. */
  readonly ledgerTokens: number;
  /** The digest or summary before these messages; what it carried must be carried on. */
  readonly previous?: string;
  /** Longest list of lost facts to report. Default 200. */
  readonly most?: number;
}

export interface Repair {
  /** Goes into the frame beside the summary. */
  readonly ledger: Partial<DigestLines>;
  readonly report: LossReport;
}

/**
 * Looks in a summary for what an extractor that did not write it found in the messages, puts what is missing into a
 * ledger as far as its budget goes (constraints first), and reports the rest.
 *
 * @example const { ledger, report } = checkAndRepair(summary, messages, { counter, ledgerTokens: 300 });
 */
export function checkAndRepair(summary: string, messages: readonly Message[], options: CheckAndRepairOptions): Repair {
  const { frames, rest } = takeFrames(messages, options.previous);
  const facts = extractFacts(rest);
  const said = hear(summary);
  const missing = facts.filter((fact) => !saysFact(said, fact));
  const rules: string[] = [];
  const state: string[] = [];
  const log: string[] = [];
  const fits = () => options.counter.count(renderLines({ ...noLines, rules, state, log })) <= options.ledgerTokens;

  const carried = frames.flatMap((frame) => frame.rules.filter((line) => !says(said, line)));
  const binding = missing.filter((fact) => fact.kind === "constraint").map((fact) => oneLine(fact.text));
  let misses = 0;
  for (const line of [...carried, ...binding]) {
    rules.push(line);
    if (fits()) continue;
    rules.pop();
    if (++misses >= 8) break;
  }
  // The state of the work stands beside a model's prose: plan, files and failures are what summaries tell worst.
  const { sources } = sourcesOf(rest);
  for (const { kind, text } of findState(
    sources,
    frames.flatMap((frame) => frame.state),
  )) {
    if (kind === "task" || kind.includes("request") || says(said, text)) continue;
    state.push(`${kind}: ${text}`);
    const most = options.ledgerTokens * stateShare;
    if (options.counter.count(renderLines({ ...noLines, state })) > most || !fits()) state.pop();
  }
  const lines = [
    ...frames.flatMap((frame) =>
      frame.log.filter((line) => missesExact(line, said)).map((text) => ({ text, weight: 0.2, whole: undefined })),
    ),
    ...missing
      .filter((fact) => fact.kind !== "constraint")
      .map((fact) => ({
        text: `${fact.contextBy}: ${fact.context}`,
        weight: fact.weight,
        whole: () => sentenceOf(fact, sources),
      })),
  ].sort((a, b) => b.weight / b.text.length - a.weight / a.text.length);
  // The render grows with every line, so whole batches are tried first and halved when they do not fit.
  let batch = 16;
  for (let next = 0; next < lines.length && options.ledgerTokens > 0; ) {
    const before = log.length;
    for (const { text } of lines.slice(next, next + batch)) log.push(text);
    if (fits()) next += batch;
    else {
      log.length = before;
      if (batch === 1) break;
      batch = Math.floor(batch / 2);
    }
  }
  // A ledger that ends in the middle of a sentence reads as if it had been cut: the last line is one that fits whole.
  for (let at = log.length - 1; at >= Math.max(0, log.length - mostEnds); at--) {
    const whole = lines[at]!.whole?.();
    if (whole === undefined) continue;
    const [cut] = log.splice(at, 1);
    log.push(whole);
    if (fits()) break;
    log.pop();
    log.splice(at, 0, cut!);
  }
  const repaired = hear(...rules, ...state, ...log);
  const lost = missing.filter((fact) => !saysFact(repaired, fact));
  return {
    ledger: { ...(rules.length > 0 && { rules }), ...(state.length > 0 && { state }), ...(log.length > 0 && { log }) },
    report: reportLoss(facts.length - missing.length, missing.length - lost.length, lost, options.most),
  };
}

/** The whole sentence that a fact is quoted from; in what programs wrote, the line. */
function sentenceOf({ text, contextBy, context }: Fact, sources: readonly Source[]): string | undefined {
  for (const source of sources) {
    if (source.by !== contextBy || !source.text.includes(text)) continue;
    const parts =
      source.kind === "text" ? splitSentences(source.text, 4000).map((one) => one.text) : source.text.split("\n");
    const short = parts.map(oneLine).filter((part) => part.length <= longestSentence);
    // The context may begin in the sentence before.
    const found = short.find((part) => part.includes(context)) ?? short.find((part) => part.includes(text));
    if (found !== undefined) return `${contextBy}: ${found}`;
  }
  return undefined;
}

const longestSentence = 300;
/** How many of the last lines are tried. */
const mostEnds = 8;

/** What the state of the work may take of the room beside a summary. */
const stateShare = 0.4;

/** Whether a line of an earlier digest has something exact that the summary does not say. */
function missesExact(line: string, said: Said): boolean {
  const text = readLogLine(line).pieces.join(" ");
  let missing = false;
  scanFacts(
    text,
    (_kind, start, end) => {
      missing ||= !says(said, text.slice(start, end));
    },
    { names: false },
  );
  return missing;
}
