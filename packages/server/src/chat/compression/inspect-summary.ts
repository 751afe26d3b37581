import type { Message, TokenCounter } from "@midfold/core";
import { checkSources, type SentenceRange, type SourceLink } from "@midfold/core/chat";
import { checkAndRepair } from "@midfold/core/summaries";
import type { LossReport } from "../../api/summary.ts";

export interface Inspection {
  readonly loss: LossReport;
  readonly links: readonly SourceLink[];
  readonly invented: readonly SentenceRange[];
}

/** What a summary still says of the messages it stands for, and where its sentences came from. */
export function inspectSummary(
  text: string,
  messages: readonly Message[],
  repaired: number,
  counter: TokenCounter,
): Inspection {
  const { report } = checkAndRepair(text, messages, { counter, ledgerTokens: 0 });
  // Said in other words, such as "6.40 euros" for "6.40 €", is not lost.
  const lines = text.split("\n").map(tokensOf);
  const lostFacts = report.lostFacts.filter((fact) => !isSaid(tokensOf(fact.text), lines));
  const kept = report.kept + report.lostFacts.length - lostFacts.length;
  const putBack = Math.min(repaired, kept);
  return {
    loss: {
      checked: report.kept + report.repaired + report.lost,
      kept: kept - putBack,
      repaired: putBack,
      lost: lostFacts.map(({ kind, text: value, message }) => ({
        kind,
        value,
        messageId: messages[message]?.id ?? null,
      })),
    },
    ...checkSources(text, messages),
  };
}

/** Words and numbers, without the signs around them; `6.40` and `2,300` are one each. */
const tokensOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{N}+(?:[.,:]\p{N}+)*|\p{L}+/gu) ?? [];

/** Only what is short and exact can be looked for by its words; a whole clause may use them and say something else. */
const mostTokens = 4;

/** All of it stands in one line of the summary, in whatever order: "October 14" says "14 October". */
function isSaid(fact: readonly string[], lines: readonly (readonly string[])[]): boolean {
  if (fact.length === 0 || fact.length > mostTokens) return false;
  return lines.some((line) => fact.every((token) => line.includes(token)));
}
