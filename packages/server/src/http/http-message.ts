/** Header names in lower case, as Node gives them. */
export type InboundHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One request as the gateway sees it, whichever listener it came through. */
export interface InboundRequest {
  readonly id: string;
  readonly method: string;
  /** Canonical: no query, no trailing slash, no spelling that another layer could read differently. */
  readonly path: string;
  readonly query: string;
  readonly headers: InboundHeaders;
  readonly headerCount: number;
  readonly remoteAddress: string;
  /** Milliseconds of the monotonic clock when the head of the request was complete. */
  readonly startedAt: number;
  /**
   * Aborts as soon as the client disconnects, with an ABORTED error as its reason; and with another reason when the
   * server ends the request itself (shutdown, a revoked key), which the client must be told.
   */
  readonly signal: AbortSignal;
  /** Ends the request from our side; the client is told the reason. */
  readonly controller: AbortController;
  /**
   * The whole body; throws BODY_TOO_LARGE as soon as it is known to be larger than `maxBytes`. `onBytes` is called with
   * the number of bytes so far, and may throw to stop reading.
   */
  readBody(maxBytes: number, onBytes?: (size: number) => void): Promise<Uint8Array>;
}

/** A reply as data. An iterable body is read only as fast as the client does. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string>;
  /** Close the connection afterwards, because the rest of the request was not read. */
  readonly close?: boolean;
  /** Called once when the last byte was handed over, or when the client has disconnected. */
  readonly onEnd?: () => void;
}

/** The value of a header that may appear once; a repeated header counts as absent. */
export function headerOf(headers: InboundHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

const unsafeInHeader = /[^\t\x20-\x7e]/gu;
/** Proxies refuse responses with headers of more than 8 KB in total. */
const longestValue = 2_000;

/** Any text as a header value: what no header may hold is percent-encoded, what is too long ends in `...`. */
export function headerValue(text: string): string {
  const short = text.length <= longestValue ? text : `${text.slice(0, longestValue)}...`;
  return short.search(unsafeInHeader) === -1
    ? short
    : short.replaceAll(unsafeInHeader, (character) => encodeURIComponent(character.toWellFormed()));
}
