/** Who put a thing into the conversation. Only what the user said binds; tools merely observed. */
export type Speaker = "user" | "assistant" | "tool";

export type FactKind =
  | "constraint"
  | "path"
  | "identifier"
  | "symbol"
  | "url"
  | "email"
  | "phone"
  | "money"
  | "date"
  | "number"
  | "command"
  | "error"
  /** A value under a JSON key that no other kind describes. */
  | "value"
  | "name";

/** Something exact that a summary must not lose, with where it came from. */
export interface Fact {
  readonly kind: FactKind;
  /** As it was written. */
  readonly text: string;
  /** The text with up to 24 characters that stood before it, on one line: the key that says what the value means. */
  readonly context: string;
  /** Index, in the list given, of the message it first appeared in. */
  readonly message: number;
  /** Index of the message it last appeared in. */
  readonly last: number;
  /** Who said it first. */
  readonly by: Speaker;
  /** Who said it where the context is quoted from. */
  readonly contextBy: Speaker;
  readonly count: number;
  /** Estimated chance that something later refers to it (0–1). */
  readonly weight: number;
}
