import type { MessageRecord } from "./messages.ts";
import type { SessionRecord } from "./sessions.ts";
import type { SummaryRecord } from "./snapshots.ts";

/** What the next request is built from (R1 1.5), read in one consistent view. */
export interface SessionContext {
  readonly session: SessionRecord;
  readonly summary: SummaryRecord | undefined;
  /** Only messages after the summary's cutoff, oldest first, without those meant for the person and unfinished replies. */
  readonly messages: readonly MessageRecord[];
}

export interface ContextReader {
  /** Never reads a summarized message: the cost depends on what comes after the cutoff, not on the whole history. */
  read(sessionId: string): Promise<SessionContext>;
}

/** R3's cached summary of the middle of a conversation, plus R2's context metadata. One per conversation. */
export interface ContextState {
  readonly strategy: string;
  readonly summary: string;
  /** Message indices [start, end). */
  readonly summaryRange: readonly [number, number];
  /** Milliseconds since 1970. */
  readonly compressedAt: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ContextStates {
  get(conversationId: string): Promise<ContextState | undefined>;
  put(conversationId: string, state: ContextState): Promise<void>;
  clear(conversationId: string): Promise<void>;
}
