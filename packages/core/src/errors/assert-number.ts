import { MidfoldError } from "./midfold-error.ts";

/** A wrong number of messages would leave some out without a word. */
export function assertWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new MidfoldError("VALIDATION_ERROR", `${name} must be a whole number of at least ${least}, not ${value}.`);
}

/** 50 for 50 % would be fifty times the window. */
export function assertShare(name: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new MidfoldError("VALIDATION_ERROR", `${name} must be a share from 0 to 1, not ${value}.`);
}
