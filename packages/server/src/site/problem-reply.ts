import type { MidfoldError } from "@midfold/core";
import { toProblem } from "../chat/http/write-problem.ts";
import { retryHeaders } from "../endpoints/encode-protocol-error.ts";
import type { RequestHead } from "../http/create-listener.ts";
import type { HttpReply } from "../http/http-message.ts";
import { redactText } from "../observe/redact-text.ts";

/** An error as the app's own API words it: RFC 9457 problem details. */
export function problemReply(error: MidfoldError, head: RequestHead): HttpReply {
  const problem = { ...toProblem(error), instance: head.id };
  return {
    status: problem.status,
    headers: { "content-type": "application/problem+json", ...retryHeaders(error) },
    body: redactText(JSON.stringify(problem)),
  };
}
