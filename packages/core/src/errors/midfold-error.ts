import { type ErrorCode, errorCodes } from "./error-codes.ts";

const brand = Symbol.for("midfold.error");

export interface MidfoldErrorOptions {
  /** Facts about this occurrence, safe to show: sizes, names, positions. Never secrets, never message content. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** Overrides the catalogue where the thrower knows better. */
  readonly retryable?: boolean;
  readonly status?: number;
}

/** The one error class. What kind of error it is, its `code` says. */
export class MidfoldError extends Error {
  override readonly name = "MidfoldError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
  readonly status: number;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: MidfoldErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? errorCodes[code].retryable;
    this.status = options.status ?? errorCodes[code].status;
  }
}

/**
 * True for errors of any installed copy of Midfold; narrows by code when one is given.
 *
 * @example if (isMidfoldError(error, "CONTEXT_OVERFLOW")) console.log(error.details);
 */
export function isMidfoldError(error: unknown, code?: ErrorCode): error is MidfoldError {
  if (typeof error !== "object" || error === null || !(brand in error)) return false;
  return code === undefined || (error as MidfoldError).code === code;
}
