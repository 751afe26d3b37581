import type { Warn } from "@midfold/core";
import type { CliContext } from "../context.ts";

/** Warnings go to standard error, one line each, so that results can be piped on. */
export function warnTo(context: CliContext): Warn {
  return (warning) => context.warn(`warning: ${warning.message}\n`);
}
