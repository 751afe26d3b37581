import type { SourceLink } from "@midfold/core/chat";
import type { MessageRecord } from "@midfold/store";
import type { LossReport, SummaryDetail } from "../../api/summary.ts";
import type { WrittenSummary } from "./write-summary.ts";

/** What a summary snapshot keeps beside R1's own fields. */
export interface SummaryExtra {
  /** Shared by all versions of one fold. */
  readonly foldId: string;
  /** The summary this fold carried on; null for the first. */
  readonly baseId: string | null;
  readonly origin: "model" | "extractive" | "edited" | "imported";
  readonly model: string | null;
  readonly instructions: string | null;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly modelUsage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly loss: LossReport | null;
  readonly sources: SummaryDetail["sources"];
  readonly invented: SummaryDetail["invented"];
  readonly [more: string]: unknown;
}

export interface WritingFacts {
  readonly foldId: string;
  readonly baseId: string | null;
  readonly instructions: string | undefined;
  readonly durationMs: number;
}

export function extraOf(written: WrittenSummary, folded: readonly MessageRecord[], facts: WritingFacts): SummaryExtra {
  return {
    foldId: facts.foldId,
    baseId: facts.baseId,
    origin: written.model === null ? "extractive" : "model",
    model: written.model,
    instructions: facts.instructions ?? null,
    durationMs: facts.durationMs,
    costUsd: written.costUsd,
    modelUsage: written.usage,
    loss: written.loss,
    sources: toSources(written.links, folded),
    invented: [...written.invented],
  };
}

function toSources(links: readonly SourceLink[], folded: readonly MessageRecord[]): SummaryDetail["sources"] {
  return links.map(({ start, end, messages }) => ({
    start,
    end,
    messageIds: messages.flatMap((index) => folded[index]?.id ?? []),
  }));
}
