/**
 * What may not be cut apart: one message, or an assistant message with its tool calls and all their results (and the
 * reasoning items that belong to it). Strategies see atoms only, so a broken tool pair cannot be written down.
 */
export interface Atom {
  readonly kind: "system" | "user" | "assistant" | "exchange";
  /** Message index range, inclusive. */
  readonly first: number;
  readonly last: number;
  readonly tokens: number;
  readonly pinned: boolean;
}
