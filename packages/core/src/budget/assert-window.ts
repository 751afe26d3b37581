import { MidfoldError } from "../errors/midfold-error.ts";

/** A limit of nothing is a mistake, not a very small limit. */
export function assertWindow(window: number): void {
  if (Number.isFinite(window) && window > 0) return;
  throw new MidfoldError("VALIDATION_ERROR", "Context limit must be positive", { details: { window } });
}
