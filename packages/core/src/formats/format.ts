import type { Warn } from "../errors/warning.ts";
import type { Message } from "../message/message.ts";

export type FormatName = "openai-chat" | "anthropic-messages" | "openai-responses" | "ai-sdk" | "langchain";

/** A format as a caller may name it: Midfold's own messages are never found out, see `own-messages.ts`. */
export type NamedFormat = FormatName | "midfold";

/** What a protocol demands of a message list. Code outside this folder reads these, never the format's name. */
export interface FormatTraits {
  /** User and assistant must take turns, and the list must start with a user message. */
  readonly alternates: boolean;
  /** A `system` message may stand at the head of the list (otherwise the system prompt travels beside the list). */
  readonly leadingSystem: boolean;
  /** A `system` message may stand later in the list. */
  readonly laterSystem: boolean;
  /** All results of one assistant message travel in one message (otherwise each is a message of its own). */
  readonly groupedResults: boolean;
}

/**
 * One wire format, both ways. `decode` maps each wire object to exactly one message and keeps it as `source`.
 * `encode` writes a message that a fold made or changed: parts that still carry their `source` block leave as that
 * block, and fields of the message's own `source` other than its content are kept.
 */
export interface Format<Wire = unknown> {
  readonly name: NamedFormat;
  readonly traits: FormatTraits;
  /** How sure this format is that it can read the list: 0 (cannot) to 1. Looks at a bounded number of messages. */
  detect(wire: readonly unknown[]): number;
  decode(wire: readonly Wire[], options?: DecodeOptions): Message[];
  /** Whether a wire object still says what its last decoding says: callers change messages in place. */
  unchanged(wire: object, message: Message): boolean;
  /**
   * `like` is a wire object of the same list: a message that a fold made is spelled as that one is. `repeats`: how many
   * messages of the same words a fold put before it.
   */
  encode(message: Message, like?: unknown, repeats?: number): Wire;
}

export interface DecodeOptions {
  /** What to do with a malformed message: throw INVALID_MESSAGE (default) or leave it out with a warning. */
  readonly onInvalid?: "reject" | "skip";
  readonly warn?: Warn;
  /** What was decoded before: the wire objects at hand follow these. */
  readonly after?: readonly Message[];
}
