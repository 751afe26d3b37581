/** Something a caller should know that did not stop the work. `code` is stable, `message` is for people. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type WarningCode =
  | "invalid-message-skipped"
  | "unknown-model"
  | "approximate-count"
  | "tool-pair-repaired"
  | "summary-fell-back"
  | "summarizer-unused"
  | "record-broken"
  | "facts-lost"
  | "last-message-clipped"
  | "summary-invented"
  | "output-limit-lowered"
  | "refused-without-words"
  | "content-left-out"
  | "kept-by-upstream"
  | "history-added"
  | "history-unknown"
  | "context-critically-limited";

export type Warn = (warning: Warning) => void;
