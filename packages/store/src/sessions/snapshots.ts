import type { FoldRecord } from "@midfold/core";
import type { Fence } from "../coordination/leases.ts";
import type { SnapshotKind, SnapshotState } from "../sql/schema.ts";

export type { SnapshotKind, SnapshotState } from "../sql/schema.ts";

/** The stored form of a summary, with the fields of the documented format. */
export interface SummaryContent {
  readonly summaryText: string;
  readonly messageRange: { readonly firstMessageId: string; readonly lastMessageId: string };
  /** ISO 8601. */
  readonly compressionTimestamp: string;
  readonly compressionType: "auto" | "manual";
  readonly originalTokenCount: number;
  readonly summaryTokenCount: number;
  readonly messagesIncluded: number;
}

export interface SnapshotRecord<TContent = unknown> {
  readonly id: string;
  readonly sessionId: string;
  readonly kind: SnapshotKind;
  readonly state: SnapshotState;
  /** 1, 2, 3… per session and kind; never reused. */
  readonly version: number;
  /** The snapshot that was in force before this one; `undo` brings it back. */
  readonly parentId: string | undefined;
  readonly content: TContent;
  /** What that format has no field for: model, ledger, loss report, sources, instructions. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly messageCutoffId: string | undefined;
  readonly cutoffSeq: number;
  readonly tokenCount: number;
  readonly createdAt: number;
}

/** A summary of a session: the fold that made it, and its stored form. */
export interface SummaryRecord extends SnapshotRecord<SummaryContent> {
  /** What the model is sent in place of the folded messages; built from the content where no fold was stored. */
  readonly fold: FoldRecord;
}

/** A finished summary together with everything its making relied on. */
export interface SummaryDraft {
  readonly content: SummaryContent;
  /** Absent for a summary that was imported. */
  readonly fold?: FoldRecord;
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The session's epoch when the messages were read. */
  readonly epoch: number;
  /** The summary that was in force then; `undefined` when there was none. */
  readonly previousId: string | undefined;
  /** Proof that no one else folds this session; see `Leases`. */
  readonly fence?: Fence;
}

export type PublishOutcome =
  | { readonly published: true; readonly snapshot: SummaryRecord; readonly epoch: number }
  | { readonly published: false; readonly reason: PublishRefusal };

/** Why a late or duplicate result was refused. Nothing was changed. */
export type PublishRefusal =
  | "session-gone"
  | "session-changed"
  | "summary-replaced"
  | "cutoff-gone"
  | "cutoff-behind"
  | "reply-streaming"
  | "lease-lost";

export interface Snapshots {
  /**
   * Puts a summary in force, in the transaction that moves the cutoff. Refuses when epoch, previous summary, cutoff or
   * fence changed since. Messages appended meanwhile stay after the summary.
   */
  publishSummary(sessionId: string, draft: SummaryDraft): Promise<PublishOutcome>;
  activeSummary(sessionId: string): Promise<SummaryRecord | undefined>;
  /** Every version, newest first. */
  summaries(sessionId: string): Promise<readonly SummaryRecord[]>;
  /** Throws NOT_FOUND. */
  summary(sessionId: string, id: string): Promise<SummaryRecord>;
  /** Takes back the summary in force; the one before it, if any, is in force again unchanged. */
  undoSummary(sessionId: string): Promise<UndoOutcome>;
}

export interface UndoOutcome {
  readonly undone: SummaryRecord;
  readonly restored: SummaryRecord | undefined;
  readonly epoch: number;
}
