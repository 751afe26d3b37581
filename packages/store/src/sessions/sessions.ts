import type { Page } from "../page.ts";

export interface SessionRecord {
  readonly id: string;
  readonly title: string;
  readonly model: string | undefined;
  readonly systemPrompt: string | undefined;
  /** Free-form facts of the caller (provider, tools, colours). Inherited settings live in `Settings`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Increased with every change a person makes to the session; pass it back to detect lost updates. */
  readonly version: number;
  /**
   * Increased whenever a summary that is being written becomes invalid: edit, delete, branch, undo, a published
   * summary. Appending does not change it. `Snapshots.publishSummary` compares it.
   */
  readonly epoch: number;
  /** Sequence of the newest message; 0 when there is none. */
  readonly lastSeq: number;
  readonly parent: SessionParent | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Where a branch was taken from. That session may have been deleted. */
export interface SessionParent {
  readonly sessionId: string;
  /** The last message copied; `undefined` when the origin had none. */
  readonly messageId: string | undefined;
}

export interface SessionDraft {
  /** Chosen by the store when absent. */
  readonly id?: string;
  readonly title?: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface SessionPatch {
  readonly title?: string;
  readonly model?: string | null;
  readonly systemPrompt?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface Sessions {
  create(draft?: SessionDraft): Promise<SessionRecord>;
  /** Throws `NOT_FOUND`. */
  get(id: string): Promise<SessionRecord>;
  /** Newest change first. */
  list(options?: { readonly limit?: number; readonly after?: string }): Promise<Page<SessionRecord>>;
  /** With `version`, throws `VERSION_CONFLICT` when someone changed the session since. */
  update(id: string, patch: SessionPatch, version?: number): Promise<SessionRecord>;
  /** Removes the session with messages, snapshots, settings, states, leases and search entries. */
  remove(id: string): Promise<void>;
  /**
   * A new session with a copy of everything up to and including `upTo` (default: all). Messages keep their ids and
   * sequence numbers, so snapshots that end at or before that message are copied unchanged.
   */
  branch(id: string, options?: { readonly upTo?: string; readonly title?: string }): Promise<SessionRecord>;
}
