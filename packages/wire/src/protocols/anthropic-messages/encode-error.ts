import type { ErrorType } from "@anthropic-ai/sdk/resources/shared";
import { MidfoldError } from "@midfold/core";
import type { EncodedError } from "../../neutral/protocol.ts";
import { type OverflowSizes, overflowSentence } from "../../overflow/overflow-sentence.ts";
import { isOverflow, publicMessage, retryHeaders, sizesOf, withExplanation } from "../error-sizes.ts";

/** The statuses this API has, and what it calls them; others are mapped to the nearest. */
const types: Readonly<Record<number, ErrorType>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large" as ErrorType,
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function encodeError(error: MidfoldError, requestId: string): EncodedError {
  const status = statusOf(error);
  return {
    status,
    headers: { "request-id": requestId, ...retryHeaders(error) },
    body: { ...errorBody(error), request_id: requestId },
  };
}

/** The body alone, as it also travels inside a stream. */
export function errorBody(error: MidfoldError) {
  return { type: "error", error: { type: types[statusOf(error)] ?? "api_error", message: messageOf(error) } };
}

export function overflowError(sizes: OverflowSizes): MidfoldError {
  return new MidfoldError("CONTEXT_OVERFLOW", overflowSentence.anthropic(sizes), { details: { ...sizes } });
}

function statusOf({ status, retryable }: MidfoldError): number {
  if (types[status] !== undefined) return status;
  if (status === 408) return 504;
  if (status > 500) return retryable ? 529 : 500;
  return status >= 400 && status < 499 ? 400 : 500;
}

function messageOf(error: MidfoldError): string {
  if (!isOverflow(error)) return publicMessage(error);
  const sizes = sizesOf(error);
  if (sizes !== undefined) return withExplanation(overflowSentence.anthropic(sizes), error);
  // The words alone already start the client's own compaction.
  return error.message.startsWith("prompt is too long") ? error.message : `prompt is too long: ${error.message}`;
}
