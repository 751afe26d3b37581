import type { ChatFoldEvent, Message, Problem } from "../api/types.gen.ts";

type EventOf<TType extends string> = Extract<ChatFoldEvent, { readonly type: TType }>;

/** A fold from its start to its end, shown as one marker in the list. */
export interface FoldMarker {
  readonly foldId: string;
  readonly trigger: "auto" | "manual";
  readonly status: "running" | "failed" | "skipped";
  /** Id of the last message being folded; empty: at the end of the list. */
  readonly foldLine: string;
  readonly messages: number;
  readonly progress?: EventOf<"fold.progress">["progress"] | undefined;
  readonly failure?: EventOf<"fold.failed"> | undefined;
  /** Why nothing was folded although it was due. */
  readonly skipped?: string | undefined;
}

/** A reply while it is being written. */
export interface LiveReply {
  readonly messageId: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
}

export interface ConversationState {
  readonly phase: "loading" | "ready" | "failed";
  readonly failure: unknown;
  /** Part of the history without gaps, oldest first. */
  readonly messages: readonly Message[];
  readonly total: number;
  readonly before: string | null;
  readonly after: string | null;
  readonly loadingMore: boolean;
  readonly replying: boolean;
  /** A stop was requested and has not happened yet. */
  readonly stopping: boolean;
  readonly live: LiveReply | undefined;
  readonly marker: FoldMarker | undefined;
  /** Why the last turn failed, until the next one. */
  readonly problem: Problem | undefined;
  readonly limited: string | undefined;
  /** Ids of folds that have ended; later events about them are ignored. */
  readonly ended: ReadonlySet<string>;
}

export const emptyConversation: ConversationState = {
  phase: "loading",
  failure: undefined,
  messages: [],
  total: 0,
  before: null,
  after: null,
  loadingMore: false,
  replying: false,
  stopping: false,
  live: undefined,
  marker: undefined,
  problem: undefined,
  limited: undefined,
  ended: new Set(),
};
