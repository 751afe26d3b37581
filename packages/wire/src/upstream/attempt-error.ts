import { isMidfoldError, MidfoldError } from "@midfold/core";

/** Why one try failed, and whether the upstream may have begun to work on it. */
export interface FailedAttempt {
  readonly error: MidfoldError;
  /** False only when not a byte of the request was written. */
  readonly sent: boolean;
}

/** Which deadline passed. */
export type DeadlineName = "connect" | "firstByte" | "idle" | "total";

export function deadlineError(upstream: string, deadline: DeadlineName, ms: number): MidfoldError {
  const what = {
    connect: "did not accept a connection within",
    firstByte: "did not begin to answer within",
    idle: "was silent in the middle of its answer for",
    total: "did not finish its answer within",
  }[deadline];
  return new MidfoldError("UPSTREAM_TIMEOUT", `The upstream "${upstream}" ${what} ${ms} ms.`, {
    details: { upstream, deadline, ms },
  });
}

export function abortedError(reason: unknown): MidfoldError {
  return isMidfoldError(reason) ? reason : new MidfoldError("ABORTED", "The request was cancelled.");
}

/** Translates what the HTTP client raises. Only its code is kept: messages of causes may name addresses and options. */
export function networkError(upstream: string, cause: unknown, begun: boolean, connectMs: number): MidfoldError {
  if (isMidfoldError(cause)) return cause;
  const code = codeOf(cause);
  if (code === "UND_ERR_CONNECT_TIMEOUT") return deadlineError(upstream, "connect", connectMs);
  const details = { upstream, ...(code === undefined ? {} : { reason: code }) };
  const because = code === undefined ? "" : ` (${code})`;
  return begun
    ? new MidfoldError("UPSTREAM_BROKEN", `The answer of the upstream "${upstream}" broke off${because}.`, { details })
    : new MidfoldError("UPSTREAM_UNREACHABLE", `The upstream "${upstream}" could not be reached${because}.`, {
        details,
      });
}

function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; typeof at === "object" && at !== null && depth < 5; depth++) {
    if (at instanceof AggregateError && at.errors.length > 0) {
      at = at.errors[0];
      continue;
    }
    if ("code" in at && typeof at.code === "string" && at.code !== "") return at.code;
    at = "cause" in at ? at.cause : undefined;
  }
  return undefined;
}
