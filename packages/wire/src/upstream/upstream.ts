import type { AnswerBody } from "./answer-body.ts";

/** One place to send requests to. Comes from configuration only, never from a caller. */
export interface Upstream {
  /** Unique: names the circuit breaker, logs and errors. */
  readonly name: string;
  /** Scheme, host and path prefix: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Credentials and fixed headers. Values never appear in errors or logs. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Allows a host name to resolve to private addresses. An address written in `baseUrl` itself needs no permission. */
  readonly privateNetwork?: boolean;
  readonly deadlines?: Partial<Deadlines>;
}

/** In milliseconds. */
export interface Deadlines {
  /** TCP and TLS. */
  readonly connect: number;
  /** From sending to the first byte of the body: a thinking model may be silent for minutes. */
  readonly firstByte: number;
  /** Silence in the middle of an answer, in bytes, so that pings count. Does not run while the reader is the slow one. */
  readonly idle: number;
  readonly total: number;
}

export const defaultDeadlines: Deadlines = {
  connect: 5_000,
  firstByte: 180_000,
  idle: 120_000,
  total: 1_800_000,
};

export interface UpstreamLimits {
  /** Largest answer, in bytes. */
  readonly responseBytes: number;
  /** Longest line of an event stream, in bytes. */
  readonly lineBytes: number;
}

export const defaultUpstreamLimits: UpstreamLimits = { responseBytes: 256 * 1024 * 1024, lineBytes: 4 * 1024 * 1024 };

/** Pieces are sent one after the other, so that a long body need not be copied together. */
export type RequestBody = string | Uint8Array | readonly Uint8Array[];

export interface UpstreamRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL, with a leading slash: `/chat/completions`. */
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Cancels the upstream at once, at any point until the body is read to its end. */
  readonly signal?: AbortSignal | undefined;
  readonly deadlines?: Partial<Deadlines>;
  /** Media types a success may have; anything else is UPSTREAM_BROKEN. */
  readonly expects?: readonly string[];
  /**
   * The request may be sent again although the upstream may have seen it. GET is always so; a POST that makes a model
   * write is not, since it would be billed twice.
   */
  readonly repeatable?: boolean;
  /**
   * False: an answer that says "not now" goes to the caller, who retries by itself. A request of which not a byte was
   * written is sent again all the same. Default true.
   */
  readonly retryAnswers?: boolean;
  /** Whose failures open the circuit breaker together, such as one caller's requests to one model. Default: all. */
  readonly circuit?: string;
}

export interface UpstreamResponse {
  readonly upstream: string;
  readonly status: number;
  /** Lower-case names; hop-by-hop headers and cookies are gone. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read with back-pressure. Errors with a MidfoldError; cancelling it closes the upstream connection. */
  readonly body: AnswerBody;
  readonly attempts: number;
}
