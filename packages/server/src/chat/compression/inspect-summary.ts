import { checkAndRepair, linkSources, type Message, type SourceLink, type TokenCounter } from "@midfold/core";
import type { LossReport } from "../../api/summary.ts";

export interface Inspection {
  readonly loss: LossReport;
  readonly links: readonly SourceLink[];
}

/** What a summary still says of the messages it stands for, and where its sentences came from. */
export function inspectSummary(
  text: string,
  messages: readonly Message[],
  repaired: number,
  counter: TokenCounter,
): Inspection {
  const { report } = checkAndRepair(text, messages, { counter, ledgerTokens: 0 });
  const putBack = Math.min(repaired, report.kept);
  return {
    loss: {
      checked: report.kept + report.repaired + report.lost,
      kept: report.kept - putBack,
      repaired: putBack,
      lost: report.lostFacts.map(({ kind, text: value, message }) => ({
        kind,
        value,
        messageId: messages[message]?.id ?? null,
      })),
    },
    links: linkSources(text, messages),
  };
}
