import { textOf } from "@midfold/core";
import type { SnapshotState, SummaryRecord } from "@midfold/store";
import type { LossReport, Summary, SummaryDetail } from "../../api/summary.ts";
import { summaryMessage } from "../context/build-context.ts";

const previewLength = 200;

/** What a summary snapshot stores beside its fold and the documented fields. */
export interface SummaryExtra {
  /** Shared by all versions of one fold. */
  readonly foldId: string;
  /** The summary this fold continued; null for the first. */
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

const statuses: Readonly<Record<SnapshotState, Summary["status"]>> = {
  active: "active",
  superseded: "replaced",
  undone: "undone",
  void: "void",
};

/** `versions` are the session's other summaries, which determine the version number of this one. */
export function toApiSummary(record: SummaryRecord, versions: readonly SummaryRecord[]): Summary {
  const extra = readExtra(record);
  const { content } = record;
  const same = versions.filter((other) => readExtra(other).foldId === extra.foldId && other.version <= record.version);
  return {
    id: record.id,
    sessionId: record.sessionId,
    status: statuses[record.state],
    version: Math.max(1, same.length),
    foldId: extra.foldId,
    text: content.summaryText,
    preview: firstCharacters(content.summaryText),
    type: content.compressionType,
    origin: extra.origin,
    model: extra.model,
    createdAt: new Date(record.createdAt).toISOString(),
    cutoffMessageId: content.messageRange.lastMessageId,
    cutoffSequence: record.cutoffSeq,
    firstMessageId: content.messageRange.firstMessageId,
    messagesIncluded: content.messagesIncluded,
    originalTokens: content.originalTokenCount,
    summaryTokens: content.summaryTokenCount,
    previousSummaryId: extra.baseId,
  };
}

export function toSummaryDetail(record: SummaryRecord, versions: readonly SummaryRecord[]): SummaryDetail {
  const extra = readExtra(record);
  return {
    ...toApiSummary(record, versions),
    content: record.content,
    instructions: extra.instructions,
    durationMs: extra.durationMs,
    costUsd: extra.costUsd,
    modelUsage: extra.modelUsage === null ? null : { ...extra.modelUsage },
    loss: extra.loss,
    sources: extra.sources,
    invented: extra.invented,
    sentAs: textOf(summaryMessage(record)),
  };
}

/** The first 200 characters, never half of a surrogate pair. */
export function firstCharacters(text: string): string {
  return [...text].slice(0, previewLength).join("");
}

/** Snapshots written by others (imports, older versions) may lack any of it. */
export function readExtra(record: SummaryRecord): SummaryExtra {
  return {
    foldId: record.id,
    baseId: record.parentId ?? null,
    origin: "imported",
    model: null,
    instructions: null,
    durationMs: null,
    costUsd: null,
    modelUsage: null,
    loss: null,
    sources: [],
    invented: [],
    ...record.extra,
  };
}
