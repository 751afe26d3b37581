import { MidfoldError } from "@midfold/core";
import { textField } from "../neutral/json-object.ts";
import type { EncodedError } from "../neutral/protocol.ts";
import { type OverflowSizes, overflowSentence } from "../overflow/overflow-sentence.ts";
import { isOverflow, publicMessage, retryHeaders, sizesOf, withExplanation } from "./error-sizes.ts";

/** The envelope both OpenAI protocols share. `param` is where the conversation lives. */
export function encodeOpenaiError(error: MidfoldError, requestId: string, param: "messages" | "input"): EncodedError {
  return {
    status: statusOf(error),
    headers: { "x-request-id": requestId, ...retryHeaders(error) },
    body: openaiErrorBody(error, param),
  };
}

export function openaiErrorBody(error: MidfoldError, param: "messages" | "input") {
  const { type, code } = kindOf(error);
  const where = textField(error.details.param) ?? (isOverflow(error) ? param : null);
  return { error: { message: openaiMessage(error, param), type, param: where, code } };
}

export function openaiMessage(error: MidfoldError, param: "messages" | "input"): string {
  if (!isOverflow(error)) return publicMessage(error);
  const sizes = param === "input" ? undefined : sizesOf(error);
  const sentence = sizes === undefined ? overflowSentence.openaiResponses() : overflowSentence.openaiChat(sizes);
  return withExplanation(sentence, error);
}

export function openaiOverflow(sizes: OverflowSizes, param: "messages" | "input"): MidfoldError {
  const message = param === "input" ? overflowSentence.openaiResponses() : overflowSentence.openaiChat(sizes);
  return new MidfoldError("CONTEXT_OVERFLOW", message, { details: { ...sizes } });
}

/** What the API calls an error, by its kind. */
export function kindOf(error: MidfoldError): { type: string; code: string | null } {
  const named = textField(error.details.code);
  if (isOverflow(error)) return { type: "invalid_request_error", code: "context_length_exceeded" };
  if (error.code === "UPSTREAM_QUOTA") return { type: "insufficient_quota", code: "insufficient_quota" };
  switch (statusOf(error)) {
    case 401:
      return { type: "invalid_request_error", code: named ?? "invalid_api_key" };
    case 404:
      return { type: "invalid_request_error", code: named ?? "model_not_found" };
    case 429:
      return { type: "rate_limit_error", code: named ?? "rate_limit_exceeded" };
    default:
      return error.status < 500
        ? { type: "invalid_request_error", code: named ?? null }
        : { type: "server_error", code: named ?? "server_error" };
  }
}

function statusOf({ code, status }: MidfoldError): number {
  if (code === "UPSTREAM_QUOTA") return 429;
  return status === 529 ? 503 : status;
}
