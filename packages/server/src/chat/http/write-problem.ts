import { errorCatalogue, isMidfoldError } from "@midfold/core";
import type { z } from "zod";
import type { Problem } from "../../api/problem.ts";

/** Any error as RFC 9457 problem details. The text of one that is not a `MidfoldError` is not shown. */
export function toProblem(error: unknown): Problem {
  const known = isMidfoldError(error);
  const code = known ? error.code : isAbort(error) ? "ABORTED" : "INTERNAL";
  const entry = errorCatalogue[code];
  const details = known && Object.keys(error.details).length > 0 ? { details: { ...error.details } } : {};
  return {
    type: `/docs/errors#${code.toLowerCase().replaceAll("_", "-")}`,
    title: entry.meaning,
    status: known ? error.status : entry.status,
    // An upstream says what is wrong, in its own words, and not what can be done.
    detail: !known
      ? entry.remedy
      : code.startsWith("UPSTREAM_")
        ? `${sentence(error.message)} ${entry.remedy}`
        : error.message,
    code,
    retryable: known ? error.retryable : entry.retryable,
    ...details,
  };
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** A request whose query or body does not match its schema: one entry per field. */
export function toValidationProblem(error: z.ZodError, where: "query" | "body"): Problem {
  const errors = error.issues.map((issue) => ({
    path: [where, ...issue.path.map(String)].join("."),
    message: issue.message,
  }));
  const first = errors[0];
  return {
    type: "/docs/errors#validation-error",
    title: errorCatalogue.VALIDATION_ERROR.meaning,
    status: errorCatalogue.VALIDATION_ERROR.status,
    detail: first === undefined ? `The ${where} is not usable.` : `${first.path}: ${first.message}`,
    code: "VALIDATION_ERROR",
    retryable: false,
    errors,
  };
}

export function problemResponse(problem: Problem): Response {
  // 499 means "client closed"; nobody reads it, but fetch only allows codes from 200 to 599.
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { "content-type": "application/problem+json" },
  });
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}
