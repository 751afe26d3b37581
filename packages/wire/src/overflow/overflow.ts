/** What an upstream told about a conversation that does not fit. Numbers are missing where it named none. */
export interface Overflow {
  /** Tokens the model's window holds. */
  readonly limit?: number;
  /** Tokens of the prompt. */
  readonly input?: number;
  /** Tokens of the answer that were asked for. */
  readonly output?: number;
  /** Tokens that were asked for in all, where the upstream counts prompt and answer together. */
  readonly requested?: number;
  /** No known sentence: two numbers that may be sizes. Believed only when one is near what was sent. */
  readonly unconfirmed?: true;
}

/** The fields of an overflow that are sizes. */
export type OverflowSize = "limit" | "input" | "output" | "requested";

/** What is known of a failed request, however little. */
export interface FailureText {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** The parsed body, for servers that put numbers into fields of their own. */
  readonly body?: unknown;
}
