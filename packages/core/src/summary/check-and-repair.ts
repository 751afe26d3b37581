import { extractFacts } from "../digest/extract-facts.ts";
import type { Fact } from "../digest/fact.ts";
import type { Frame } from "../digest/frame.ts";
import { type DigestLines, noLines, oneLine, readLogLine, renderLines } from "../digest/lines.ts";
import { findRules } from "../digest/rules.ts";
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
  /** Whether a frame among the messages was made by us: only then its rules are rules. */
  readonly believes?: ((frame: Frame) => boolean) | undefined;
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
  const unverified: string[] = [];
  const state: string[] = [];
  const log: string[] = [];
  const fits = () =>
    options.counter.count(renderLines({ ...noLines, rules, unverified, state, log })) <= options.ledgerTokens;

  // Also those that the summary says: in its prose the next model may leave them out, and nobody would miss them.
  const bound = rulesOf(messages, options.previous, options.believes);
  for (const [section, lines] of [
    [rules, bound.rules],
    [unverified, bound.unverified],
  ] as const) {
    let misses = 0;
    for (const line of lines) {
      section.push(line);
      if (fits()) continue;
      section.pop();
      if (++misses >= 8) break;
    }
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
  const told = new Map<string, number>();
  for (const line of frames.flatMap((frame) => frame.log)) if (missesExact(line, said)) told.set(line, 0.2);
  // In a small ledger a sentence may have as many characters as it has tokens: one must not take most of it.
  const quote = quoting(sources, Math.min(longestSentence, options.ledgerTokens));
  for (const fact of missing) {
    if (fact.kind === "constraint") continue;
    const line = quote(fact);
    // A number out of a listing, alone, tells nobody what it is.
    if (!hasWords.test(line.slice(line.indexOf(":") + 1))) continue;
    told.set(line, (told.get(line) ?? 0) + fact.weight);
  }
  const lines = [...told].sort(([a, worth], [b, other]) => other / b.length - worth / a.length).map(([line]) => line);
  // The render grows with every line, so whole batches are tried first and halved when they do not fit.
  let batch = 16;
  for (let next = 0; next < lines.length && options.ledgerTokens > 0; ) {
    const before = log.length;
    for (const line of lines.slice(next, next + batch)) log.push(line);
    if (fits()) next += batch;
    else {
      log.length = before;
      if (batch === 1) break;
      batch = Math.floor(batch / 2);
    }
  }
  const repaired = hear(...rules, ...unverified, ...state, ...log);
  const lost = missing.filter((fact) => !saysFact(repaired, fact));
  return {
    ledger: {
      ...(rules.length > 0 && { rules }),
      ...(unverified.length > 0 && { unverified }),
      ...(state.length > 0 && { state }),
      ...(log.length > 0 && { log }),
    },
    report: reportLoss(facts.length - missing.length, missing.length - lost.length, lost, options.most),
  };
}

/**
 * What binds, of the frames before and of these messages: a ledger begins with it. What a frame that nobody vouches for calls
 * rules stands apart: whoever pastes one would lay down rules beside every later summary.
 */
export function rulesOf(
  messages: readonly Message[],
  previous: string | undefined,
  believes: CheckAndRepairOptions["believes"],
): Pick<DigestLines, "rules" | "unverified"> {
  const { sources, carried } = sourcesOf(messages, { previous, believes });
  const rules = findRules(sources, carried.rules).map(({ text }) => oneLine(text));
  return { rules: [...new Set(rules)], unverified: [...new Set(carried.unverified)] };
}

const longestSentence = 200;
/** A word, a name with a dot or a line in a script without spaces. */
const hasWords = /\p{L}{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u;

/**
 * How a fact is told: by the whole sentence that has it; in what programs wrote, by the line. A few characters before it
 * stand in for those that are endless.
 */
function quoting(sources: readonly Source[], longest: number): (fact: Fact) => string {
  const split = new Map<Source, readonly string[]>();
  const partsOf = (source: Source) => {
    const known = split.get(source);
    if (known !== undefined) return known;
    const { kind, text } = source;
    const whole = kind === "text" ? splitSentences(text, 4000).map((one) => one.text) : text.split("\n");
    const parts = whole.map(oneLine).filter((part) => part.length <= longest);
    split.set(source, parts);
    return parts;
  };
  const byMessage = new Map<number, Source[]>();
  for (const source of sources) {
    const list = byMessage.get(source.message);
    if (list === undefined) byMessage.set(source.message, [source]);
    else list.push(source);
  }
  return ({ text, contextBy, context, message, last }) => {
    for (const at of [message, last]) {
      const said = byMessage.get(at)?.filter(({ by }) => by === contextBy) ?? [];
      // The context may begin in the sentence before.
      for (const wanted of [context, text]) {
        for (const source of said) {
          const found = source.text.includes(text) && partsOf(source).find((part) => part.includes(wanted));
          if (found) return `${contextBy}: ${found}`;
        }
      }
    }
    return `${contextBy}: ${context}`;
  };
}

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
