import type { MessageRecord } from "./messages.ts";
import type { SessionRecord } from "./sessions.ts";
import type { SummaryRecord } from "./snapshots.ts";

/** What the next request is built from, read in one consistent state. */
export interface SessionContext {
  readonly session: SessionRecord;
  readonly summary: SummaryRecord | undefined;
  /**
   * Messages after the summary's cutoff, oldest first, without unfinished replies and messages only meant for the
   * person.
   */
  readonly messages: readonly MessageRecord[];
}

export interface ContextReader {
  /** Never reads a summarized message, so its cost depends on what follows the cutoff and not on the whole history. */
  read(sessionId: string): Promise<SessionContext>;
}
