import type { Part, Role } from "@midfold/core";
import type { Page } from "../page.ts";
import type { MessageStatus, MessageVisibility } from "../sql/schema.ts";

export type { MessageStatus, MessageVisibility } from "../sql/schema.ts";

export interface MessageRecord {
  /** Unique within its session. */
  readonly id: string;
  readonly sessionId: string;
  /** Assigned by the store, starting at 1, growing, never reused. */
  readonly seq: number;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly name: string | undefined;
  readonly pinned: boolean;
  readonly model: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly visibility: MessageVisibility;
  readonly status: MessageStatus;
  /**
   * Covered by the summary in force, so not part of the next request. Computed when read: messages are never rewritten.
   */
  readonly isSummarized: boolean;
  readonly createdAt: number;
}

export interface MessageDraft {
  /** Appending an id that the session already has returns the stored message, so that retries are safe. */
  readonly id?: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly name?: string;
  readonly pinned?: boolean;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly visibility?: MessageVisibility;
  readonly status?: MessageStatus;
  /** For imports: when the message was written. */
  readonly createdAt?: number;
}

export interface MessagePatch {
  readonly parts?: readonly Part[];
  readonly pinned?: boolean;
  readonly visibility?: MessageVisibility;
}

/** How a streamed reply ended. */
export interface MessageEnding {
  readonly status: Exclude<MessageStatus, "streaming">;
  readonly parts: readonly Part[];
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export interface MessageListOptions {
  /** Sequence bounds, exclusive. */
  readonly after?: number;
  readonly before?: number;
  /** At most 1000; 100 unless told. */
  readonly limit?: number;
  readonly newestFirst?: boolean;
}

export interface MessageTotals {
  readonly messages: number;
  readonly summarized: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface SearchOptions {
  readonly sessionId?: string;
  /** At most 200; 20 unless told. */
  readonly limit?: number;
  readonly after?: string;
}

export interface SearchHit {
  readonly message: MessageRecord;
  readonly sessionTitle: string;
  /** An excerpt round the first match. */
  readonly snippet: string;
  /** Where the words stand in `snippet`, as [start, end) pairs. */
  readonly highlights: readonly (readonly [number, number])[];
}

export interface SearchPage extends Page<SearchHit> {
  /** Matching messages, counted up to 1000. */
  readonly count: number;
  readonly countIsExact: boolean;
}

export interface Messages {
  /**
   * Appends all or none, with consecutive sequence numbers; stored for good when it returns. Safe for any number of
   * callers and processes.
   */
  append(sessionId: string, drafts: readonly MessageDraft[]): Promise<readonly MessageRecord[]>;
  get(sessionId: string, id: string): Promise<MessageRecord>;
  list(sessionId: string, options?: MessageListOptions): Promise<readonly MessageRecord[]>;
  /** Ends a `streaming` message. This does not change the epoch. Throws `VERSION_CONFLICT` if it has ended already. */
  finish(sessionId: string, id: string, ending: MessageEnding): Promise<MessageRecord>;
  /**
   * Stores what has arrived of a `streaming` message, so that a crash does not lose it. It is not searchable yet and
   * the epoch does not change. False when the message has ended already.
   */
  saveProgress(sessionId: string, id: string, parts: readonly Part[]): Promise<boolean>;
  /** A person's edit. Summaries that cover the message become `void`; the one before them is in force again. */
  edit(sessionId: string, id: string, patch: MessagePatch): Promise<MessageRecord>;
  totals(sessionId: string): Promise<MessageTotals>;
  /**
   * Full text in any language, newest first. All words must occur; a word of three letters or more that is not very
   * frequent also matches as the start of longer ones; "in quotes" means those exact words side by side; Chinese,
   * Japanese, Korean and Thai text matches as written, without spaces.
   */
  search(query: string, options?: SearchOptions): Promise<SearchPage>;
}
