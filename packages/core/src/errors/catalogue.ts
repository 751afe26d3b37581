import { type ErrorCode, errorCodes } from "./error-codes.ts";

/**
 * What every error means and what to do about it. `docs/errors.md` lists the same codes (a test keeps them equal). Apart from
 * `error-codes.ts`, so that a page which only folds does not load these sentences.
 */
export const errorCatalogue = {
  VALIDATION_ERROR: {
    ...errorCodes.VALIDATION_ERROR,
    meaning: "A value passed in is not usable.",
    remedy: "The message names the value and what it must be. Correct it and call again.",
  },
  INVALID_MESSAGE: {
    ...errorCodes.INVALID_MESSAGE,
    meaning: "A message has no shape Midfold knows.",
    remedy: 'The message names its position and what is wrong. Correct it, or pass `onInvalid: "skip"`.',
  },
  UNKNOWN_FORMAT: {
    ...errorCodes.UNKNOWN_FORMAT,
    meaning: "The messages match none of the known formats.",
    remedy: "Pass `format` explicitly, or check the shape of the messages.",
  },
  CONTEXT_OVERFLOW: {
    ...errorCodes.CONTEXT_OVERFLOW,
    meaning: "Even the smallest allowed form of the conversation is over the budget.",
    remedy:
      "The details name the sizes of what must stay. Shorten the largest, use a preset that clips it (agent, chat), or a larger window.",
  },
  INVARIANT_BROKEN: {
    ...errorCodes.INVARIANT_BROKEN,
    meaning: "A folded conversation failed its own check. Nothing was sent.",
    remedy: "This is a defect in Midfold: report it with the details. The original messages are unchanged.",
  },
  SUMMARY_FAILED: {
    ...errorCodes.SUMMARY_FAILED,
    meaning: "The summarizer failed, or what it returned was not usable.",
    remedy: "The conversation is unchanged. Try again later, or allow the digest as a fallback.",
  },
  SERVICE_UNAVAILABLE: {
    ...errorCodes.SERVICE_UNAVAILABLE,
    meaning: "A model or service Midfold depends on did not answer.",
    remedy: "Try again. What was stored before is unchanged.",
  },
  ABORTED: {
    ...errorCodes.ABORTED,
    meaning: "The caller cancelled.",
    remedy: "Nothing to do.",
  },
  NOT_FOUND: {
    ...errorCodes.NOT_FOUND,
    meaning: "There is nothing with this id, or it belongs to someone else.",
    remedy: "Check the id. List what there is and choose from that.",
  },
  VERSION_CONFLICT: {
    ...errorCodes.VERSION_CONFLICT,
    meaning: "Someone changed the record in the meantime.",
    remedy: "Read it again, apply the change to what is there now, and try again.",
  },
  STORE_UNAVAILABLE: {
    ...errorCodes.STORE_UNAVAILABLE,
    meaning: "The database did not answer.",
    remedy: "Try again. What was acknowledged before is stored. If it lasts, check that the database runs.",
  },
  STORE_FULL: {
    ...errorCodes.STORE_FULL,
    meaning: "The disk of the database is full.",
    remedy: "Free some space, or prune the request log. Nothing was half written.",
  },
  STORE_CORRUPT: {
    ...errorCodes.STORE_CORRUPT,
    meaning: "The database file is damaged.",
    remedy: "Stop Midfold, keep a copy of the file, and restore the latest backup.",
  },
  STORE_UNSAFE: {
    ...errorCodes.STORE_UNSAFE,
    meaning: "The database cannot keep what it acknowledges: too old, read-only, or without a needed feature.",
    remedy: "The message names what is missing. Correct it and start again; nothing was written.",
  },
  STORE_TOO_NEW: {
    ...errorCodes.STORE_TOO_NEW,
    meaning: "The database was written by a newer Midfold than this one.",
    remedy: "Start the newer version, or restore the backup made before the upgrade.",
  },
  UNAUTHORIZED: {
    ...errorCodes.UNAUTHORIZED,
    meaning: "The request carries no key this server knows.",
    remedy: "Send a key made with `midfold keys add`, as `Authorization: Bearer` or `x-api-key`.",
  },
  FORBIDDEN: {
    ...errorCodes.FORBIDDEN,
    meaning: "The request comes from a host or an origin this server does not answer to.",
    remedy: "Use the address the server printed, or add the name to `server.hosts` or `server.origins`.",
  },
  METHOD_NOT_ALLOWED: {
    ...errorCodes.METHOD_NOT_ALLOWED,
    meaning: "The path exists, but not for this method.",
    remedy: "The `Allow` header names the methods.",
  },
  BODY_TOO_LARGE: {
    ...errorCodes.BODY_TOO_LARGE,
    meaning: "The request body is larger than this server reads.",
    remedy: "Send less, or raise `server.limits.bodyBytes`.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    ...errorCodes.UNSUPPORTED_MEDIA_TYPE,
    meaning: "The body is not JSON, or is compressed where that is not read.",
    remedy:
      "Send `content-type: application/json`. Compressed bodies are read by the gateway's model endpoints only; send others plain.",
  },
  INVALID_ENCODING: {
    ...errorCodes.INVALID_ENCODING,
    meaning: "The request body is not valid UTF-8.",
    remedy: "Encode the body as UTF-8.",
  },
  RATE_LIMITED: {
    ...errorCodes.RATE_LIMITED,
    meaning: "The key has used up its share of requests, tokens or parallel requests for now.",
    remedy: "Wait as long as `retry-after` says, or raise the key's limits.",
  },
  OVERLOADED: {
    ...errorCodes.OVERLOADED,
    meaning: "The server is shutting down, or is busy with as many requests as it can take.",
    remedy: "Wait as long as `retry-after` says and try again.",
  },
  INTERNAL: {
    ...errorCodes.INTERNAL,
    meaning: "Something went wrong inside Midfold.",
    remedy: "Report it with the request id; the log has the cause under the same id.",
  },
  UPSTREAM_UNREACHABLE: {
    ...errorCodes.UPSTREAM_UNREACHABLE,
    meaning: "No connection to the upstream could be made, or it broke before an answer began.",
    remedy: "Check the upstream's address and that it is up; the details say whether it got the request.",
  },
  UPSTREAM_TIMEOUT: {
    ...errorCodes.UPSTREAM_TIMEOUT,
    meaning: "The upstream did not connect, answer or go on within its deadline.",
    remedy: "Try again, or raise the deadline, which the details name, in the configuration.",
  },
  UPSTREAM_REJECTED: {
    ...errorCodes.UPSTREAM_REJECTED,
    meaning: "The upstream refused the request.",
    remedy: "Correct what the upstream names; its status is in the details.",
  },
  UPSTREAM_CREDENTIALS: {
    ...errorCodes.UPSTREAM_CREDENTIALS,
    meaning: "The upstream refused the configured key.",
    remedy: "Set a valid key for this upstream; where the caller's own key is passed on, the caller must.",
  },
  UPSTREAM_RATE_LIMITED: {
    ...errorCodes.UPSTREAM_RATE_LIMITED,
    meaning: "The upstream's rate limit is used up.",
    remedy: "Try again later; `retryAfterMs` in the details says when.",
  },
  UPSTREAM_OVERLOADED: {
    ...errorCodes.UPSTREAM_OVERLOADED,
    meaning: "The upstream is overloaded or failing, or was failing so often that it is not being asked for now.",
    remedy: "Try again later.",
  },
  UPSTREAM_BROKEN: {
    ...errorCodes.UPSTREAM_BROKEN,
    meaning: "The upstream's answer broke off, is too large, or is not what its protocol promises.",
    remedy: "Try again. If it stays so, check that the upstream speaks the configured protocol.",
  },
  UPSTREAM_FORBIDDEN: {
    ...errorCodes.UPSTREAM_FORBIDDEN,
    meaning: "The upstream's address resolves to a network Midfold may not reach.",
    remedy: "Name the private address itself in the upstream's base URL if it is meant.",
  },
  INVALID_CONFIG: {
    ...errorCodes.INVALID_CONFIG,
    meaning: "The configuration is not usable. Nothing was started.",
    remedy: "The message names the file, the line and what to write instead.",
  },
  UNSUPPORTED_FEATURE: {
    ...errorCodes.UNSUPPORTED_FEATURE,
    meaning: "The request asks for something the chosen model's protocol has no place for.",
    remedy: "The message names the feature. Leave it out, or route the model to an upstream that has it.",
  },
  UPSTREAM_OVERFLOW: {
    ...errorCodes.UPSTREAM_OVERFLOW,
    meaning: "The upstream says that the conversation is larger than the model's window.",
    remedy: "Summarize, say less or use a larger window; the details name the sizes the upstream told.",
  },
  UPSTREAM_NOT_FOUND: {
    ...errorCodes.UPSTREAM_NOT_FOUND,
    meaning: "The upstream does not know this model or path.",
    remedy: "Check the model's name and the upstream's base URL.",
  },
  UPSTREAM_QUOTA: {
    ...errorCodes.UPSTREAM_QUOTA,
    meaning: "The upstream account has no credit left.",
    remedy: "Top up the account, or route the model to another upstream.",
  },
} as const satisfies Record<ErrorCode, ErrorEntry>;

interface ErrorEntry {
  readonly status: number;
  readonly retryable: boolean;
  readonly meaning: string;
  readonly remedy: string;
}
