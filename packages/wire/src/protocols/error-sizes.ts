import type { MidfoldError } from "@midfold/core";
import { numberField, textField } from "../neutral/json-object.ts";
import type { OverflowSizes } from "../overflow/overflow-sentence.ts";

/** Whether an error says that the conversation does not fit. */
export function isOverflow(error: MidfoldError): boolean {
  return error.code === "UPSTREAM_OVERFLOW" || error.code === "CONTEXT_OVERFLOW";
}

/** The sizes an overflow error carries in its details, when it carries enough of them. */
export function sizesOf(error: MidfoldError): OverflowSizes | undefined {
  const { details } = error;
  const limit = numberField(details.limit);
  const output = numberField(details.output);
  const requested = numberField(details.requested);
  const input =
    numberField(details.input) ?? (requested === undefined ? undefined : Math.max(0, requested - (output ?? 0)));
  if (limit === undefined || input === undefined) return undefined;
  return output === undefined ? { limit, input } : { limit, input, output };
}

/** Headers every protocol's clients look at: when to try again, and whether to. */
export function retryHeaders(error: MidfoldError): Record<string, string> {
  const headers: Record<string, string> = { "x-should-retry": String(error.retryable) };
  const retryAfterMs = numberField(error.details.retryAfterMs);
  if (retryAfterMs !== undefined) {
    headers["retry-after"] = String(Math.ceil(retryAfterMs / 1000));
    headers["retry-after-ms"] = String(Math.ceil(retryAfterMs));
  }
  return headers;
}

/** The text of an internal error: its cause is only for the log. */
export function publicMessage(error: MidfoldError): string {
  return error.code === "INTERNAL" ? "Something went wrong inside Midfold." : error.message;
}

/** The sentence clients recognise, followed by what takes the room, where the error says so. */
export function withExplanation(sentence: string, error: MidfoldError): string {
  const explanation = textField(error.details.explanation);
  return explanation === undefined ? sentence : `${sentence} ${explanation}`;
}
